package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** People's requests for their accounts, and what the ledger answers. */
class AccountAnswerTest {
  private static final Limits PER_USER = Limits.newBuilder().setEpsilon(3).build();
  private static final Limits ON_MODEL = Limits.newBuilder().setReports(9).build();

  private static LedgerTasks start(Backend backend, Plan plan) throws Exception {
    LedgerTasks ledger = new LedgerTasks(backend, plan, List::of, PER_USER, false);
    ledger.publish(0, TestRecords.sgd("m").setLimits(ON_MODEL));
    ledger.publish(1, TestRecords.sgd("n"));
    return ledger;
  }

  private static LedgerTasks start() throws Exception {
    return start(Backend.HASH_MAP, Plan.NEVER_STOPPED);
  }

  private static Account ask(LedgerTasks ledger, String user) throws Exception {
    int before = ledger.sideOutputs().size();
    ledger.receive(TestRecords.accountRequest(user));
    List<OutboundRecord> written =
        ledger.sideOutputs().subList(before, ledger.sideOutputs().size());
    assertThat(written).as("an answer, and no event").hasSize(1);
    assertThat(written.get(0).destination).isEqualTo(Destination.ACCOUNT_ANSWERS);
    assertThat(written.get(0).key).asString(UTF_8).isEqualTo(user);
    return Account.parseFrom(written.get(0).value);
  }

  @RestoredInEveryBackend
  void theAnswerIsTheAccountOfTheUserOfTheKey(Backend backend, Plan plan) throws Exception {
    try (LedgerTasks ledger = start(backend, plan)) {
      ledger.judge("ana", 1, "m");
      ledger.judge("ana", 2, "n");
      ledger.judge("ana", 3, "m");
      ledger.judge("bo", 7, "n");
      ledger.barrier();
      ledger.judge("ana", 4, "m");
      ledger.barrier();
      ledger.judge("ana", 5, "gone");
      ledger.barrier();

      Account account = ask(ledger, "ana");
      assertThat(account.getTag()).isEqualTo(TestRecords.TAG);
      assertThat(account.getAsOfMs()).isEqualTo(1_000);
      assertThat(account.getSpent().getReports()).isEqualTo(5);
      assertThat(account.getSpent().getEpsilon()).isEqualTo(5);
      assertThat(account.getLimits()).isEqualTo(PER_USER);
      assertThat(account.getLeft().getEpsilon()).isZero();
      assertThat(account.hasErased()).isFalse();
      assertThat(account.getModelsList())
          .extracting(Account.OnModel::getModelId, on -> on.getSpent().getReports())
          .containsExactly(tuple("m", 3L), tuple("n", 1L));
      assertThat(account.getModels(0).getLimits()).isEqualTo(ON_MODEL);
      assertThat(account.getModels(0).getLeft().getReports()).isEqualTo(6);
      assertThat(account.getModels(1).hasLimits()).isFalse();
      assertThat(account.getModels(1).hasLeft()).isFalse();
      assertThat(account.getDevicesList())
          .extracting(Account.Device::getDeviceId, Account.Device::getHighestSequence)
          .containsExactly(tuple("device", 5L));
      assertThat(account.getRefusalsList())
          .extracting(
              Account.Refusal::getModelId,
              Account.Refusal::getDeviceId,
              Account.Refusal::getSequence,
              Account.Refusal::getOutcome,
              Account.Refusal::getReason)
          .containsExactly(
              tuple(
                  "gone",
                  "device",
                  5L,
                  Outcome.REFUSED_UNKNOWN_MODEL,
                  "model_id must name a model that is published"),
              tuple(
                  "m",
                  "device",
                  4L,
                  Outcome.REFUSED_BUDGET,
                  "limits.user.epsilon is 3.0: 3 was spent before, and this report would add 1"));

      assertThat(ask(ledger, "bo").getSpent().getReports()).isOne();
      assertThat(ask(ledger, "bo").getRefusalsList()).isEmpty();
    }
  }

  /** Also a request that is repeated, or names a user without an account. */
  @Test
  void aRequestChangesNothing() throws Exception {
    try (LedgerTasks asked = start();
        LedgerTasks quiet = start()) {
      for (LedgerTasks ledger : List.of(asked, quiet)) {
        ledger.judge("ana", 1, "m");
      }
      for (int i = 0; i < 3; i++) {
        ask(asked, "ana");
        assertThat(ask(asked, "cy").getSpent().getReports()).isZero();
      }
      for (LedgerTasks ledger : List.of(asked, quiet)) {
        ledger.barrier();
        assertThat(ledger.outcome("ana", 2, "m")).isEqualTo(Outcome.ADMITTED);
        assertThat(ledger.outcome("ana", 1, "m")).isEqualTo(Outcome.DUPLICATE);
      }
      assertThat(ask(asked, "ana")).isEqualTo(ask(quiet, "ana"));
      assertThat(asked.progress()).hasSameSizeAs(quiet.progress());
    }
  }

  /** Otherwise the first subtask could end its transaction as one of an earlier run. */
  @Test
  void anAnswerAloneHasARecordOfProgress() throws Exception {
    try (LedgerTasks ledger = start()) {
      ask(ledger, "ana");
      ledger.barrier();
      assertThat(ledger.progress()).hasSize(1);
      ledger.barrier();
      assertThat(ledger.progress()).as("nothing was written").hasSize(1);
    }
  }

  @Test
  void whatIsNoRequestBecomesADeadLetterWithoutTheUser() throws Exception {
    try (LedgerTasks ledger = start()) {
      RawRecord withoutUser = TestRecords.accountRequest("ana");
      withoutUser.key = null;
      RawRecord longUser = TestRecords.accountRequest("a".repeat(257));
      RawRecord withoutTag = TestRecords.accountRequest("ana");
      withoutTag.value = null;
      RawRecord unreadable = TestRecords.accountRequest("ana");
      unreadable.value = new byte[] {1, 2, 3};
      for (RawRecord record : List.of(withoutUser, longUser, withoutTag, unreadable)) {
        ledger.receive(record);
      }
      assertThat(ledger.sideOutputs())
          .allMatch(letter -> letter.key == null && letter.value == null)
          .extracting(letter -> TestRecords.header(letter, DeadLetters.REASON))
          .containsExactly(
              "the record's key must be the user_id of the account, of 1 to 256 bytes",
              "the record's key must be the user_id of the account, of 1 to 256 bytes",
              "tag must be 16 bytes",
              "value is not an AccountRequest in Protobuf's encoding");
    }
  }

  @Test
  void theLastRefusalsAreKept() throws Exception {
    try (LedgerTasks ledger = start()) {
      for (int i = 1; i <= 20; i++) {
        ledger.judge("ana", i, "m");
      }
      assertThat(ask(ledger, "ana").getRefusalsList())
          .extracting(Account.Refusal::getSequence)
          .containsExactly(20L, 19L, 18L, 17L, 16L, 15L, 14L, 13L);
      ledger.judge("ana", 20, "m");
      assertThat(ask(ledger, "ana").getRefusals(0).getSequence())
          .as("a resend is no refusal")
          .isEqualTo(20);
    }
  }

  @Test
  void anErasedPersonSeesWhatRemains() throws Exception {
    try (LedgerTasks ledger = start()) {
      for (int i = 1; i <= 4; i++) {
        ledger.judge("ana", i, "m");
      }
      ledger.receive(TestRecords.erasure("ana"));

      Account account = ask(ledger, "ana");
      assertThat(account.getErased()).isTrue();
      assertThat(account.getSpent().getEpsilon()).isEqualTo(4);
      assertThat(account.getLeft().getEpsilon()).isZero();
      assertThat(account.getModelsList()).isEmpty();
      assertThat(account.getDevicesList()).isEmpty();
      assertThat(account.getRefusalsList()).isEmpty();
    }
  }

  @RestoredInEveryBackend
  void modelsBeyondTheAccountsRoomAreInTheAnswer(Backend backend, Plan plan) throws Exception {
    try (LedgerTasks ledger = start(backend, plan)) {
      int models = StoredAccount.MODELS + 2;
      for (int i = 0; i < models; i++) {
        ledger.publish(2 + i, TestRecords.sgd("m" + i));
        ledger.judge("ana", i, "m" + i);
      }
      ledger.retire(9, "m5");
      ledger.barrier();
      assertThat(ask(ledger, "ana").getModelsList())
          .hasSize(models)
          .allMatch(model -> model.getSpent().getReports() == 1)
          .extracting(Account.OnModel::getModelId)
          .contains("m0", "m4", "m5");
    }
  }
}
