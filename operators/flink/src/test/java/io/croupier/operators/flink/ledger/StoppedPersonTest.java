package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.ledger.AccountRebuild;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.report.DigestKey;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.ArrayList;
import java.util.List;

class StoppedPersonTest {
  private static final List<String> USERS = List.of("ana", "bo", "cy", "di", "ed", "flo");

  /** The topic, which each start reads. */
  private static final List<SpecRecord> STOPS = new ArrayList<>();

  private static SpecRecord stop(long offset, String user) {
    SpecRecord stop = resumption(offset, user);
    stop.value = new byte[0];
    return stop;
  }

  private static SpecRecord resumption(long offset, String user) {
    SpecRecord resumption = new SpecRecord();
    resumption.topic = TestRecords.TOPICS.stops();
    resumption.offset = offset;
    resumption.modelId = user;
    return resumption;
  }

  private static LedgerTasks ledger(Backend backend, Plan plan) throws Exception {
    LedgerTasks ledger =
        new LedgerTasks(
            backend,
            plan,
            LedgerTasks.operator(
                List::of,
                () -> List.copyOf(STOPS),
                Limits.getDefaultInstance(),
                false,
                new JobStart(
                    LedgerStart.REQUIRE_STATE, new VisibleRecords(), new DigestKey(1, 2))));
    ledger.publish(0, TestRecords.sgd("m"));
    return ledger;
  }

  private static void publish(LedgerTasks ledger, SpecRecord record) throws Exception {
    STOPS.add(record);
    ledger.publish(record);
  }

  private static boolean isShownAsStopped(LedgerTasks ledger, String user) throws Exception {
    RawRecord request = new RawRecord();
    request.topic = TestRecords.TOPICS.accountRequests();
    request.key = user.getBytes(UTF_8);
    request.value =
        AccountRequest.newBuilder().setTag(ByteString.copyFrom(new byte[16])).build().toByteArray();
    ledger.receive(request);
    List<OutboundRecord> written = ledger.sideOutputs();
    return Account.parseFrom(written.get(written.size() - 1).value).getStopped();
  }

  @RestoredInEveryBackend
  void nothingOfAStoppedPersonIsUsedOrCharged(Backend backend, Plan plan) throws Exception {
    STOPS.clear();
    STOPS.add(stop(0, "bo"));
    try (LedgerTasks ledger = ledger(backend, plan)) {
      List<AccountingEvent> events = new ArrayList<>();
      events.add(ledger.judge("ana", 1, "m"));
      publish(ledger, stop(1, "ana"));
      ledger.barrier();
      for (String user : USERS) {
        boolean isStopped = List.of("ana", "bo").contains(user);
        int before = ledger.outputs().size();
        for (String model : List.of("m", "gone")) {
          AccountingEvent event = ledger.judge(user, model.equals("m") ? 2 : 3, model);
          assertThat(event.getOutcome() == Outcome.REFUSED_STOPPED).as(user).isEqualTo(isStopped);
          assertThat(event.getSpent().getReports()).isEqualTo(isStopped ? 0 : 1);
          if (user.equals("ana")) {
            events.add(event);
          }
        }
        assertThat(ledger.outputs()).hasSize(before + (isStopped ? 0 : 1));
        assertThat(isShownAsStopped(ledger, user)).isEqualTo(isStopped);
      }
      assertThat(events.get(2).getReason()).contains("stopped");
      assertThat(events.get(2).getUserTotals().getReports()).isOne();

      publish(ledger, resumption(2, "ana"));
      ledger.publish(stop(1, "ana"));
      ledger.barrier();
      assertThat(isShownAsStopped(ledger, "ana")).isFalse();
      events.add(ledger.judge("ana", 2, "m"));
      assertThat(events.get(3).getOutcome())
          .as("what was refused stays refused")
          .isEqualTo(Outcome.DUPLICATE);
      events.add(ledger.judge("ana", 4, "m"));
      assertThat(events.get(4).getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(events.get(4).getUserTotals().getReports()).isEqualTo(2);

      HeapAccount rebuilt = new HeapAccount();
      assertThat(events).allMatch(event -> AccountRebuild.apply(event, rebuilt));
      assertThat(rebuilt.userTotals().reports).isEqualTo(2);
      assertThat(rebuilt.window("device").highest).isEqualTo(4);
    }
  }
}
