package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ERASED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.report.Received;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Limits;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An erased account has its totals, and nothing else. */
class ErasureTest extends LedgerFixture {
  private static final long DAY_MS = 86_400_000;
  private static final long NOW = 20_000;
  private static final int SEED = 7;

  private final Random random = new Random(SEED);

  private static Received.Erasure erasure(long day) {
    return new Received.Erasure("u", new Source("erasures", 0, 5, day * DAY_MS));
  }

  private static ReportDraft on(long day, ReportDraft report) {
    report.appendedAtMs = day * DAY_MS;
    return report;
  }

  private static AdmissionRules limited(double epsilon) {
    return BudgetTest.local(Limits.newBuilder().setEpsilon(epsilon));
  }

  @Test
  void theTotalsStayAndTheHistoryGoes() {
    judge(TestReports.to("a", TestReports.laplace(0, 1)), limited(9));
    judge(TestReports.to("b", TestReports.laplace(1, 2)), limited(9));

    AccountingEvent erased = ledger.erase(erasure(NOW), account);

    assertOutcome(erased, ERASED);
    assertThat(erased.getUserTotals().getEpsilon()).isEqualTo(3);
    assertThat(erased.getUserTotals().getReports()).isEqualTo(2);
    assertThat(erased.getSpent().getReports()).isZero();
    assertThat(erased.getAppendedAtMs()).isEqualTo(NOW * DAY_MS);
    assertThat(erased.getSource().getTopic()).isEqualTo("erasures");
    assertThat(erased.getModelId()).isEmpty();
    assertThat(erased.hasModelTotals()).isFalse();
    assertThat(AccountingEvents.violations(erased)).isEmpty();
    assertThat(account.models).isEmpty();
    assertThat(account.windows).isEmpty();
  }

  /** What was spent on one model is not known any more: at most everything. */
  @Test
  void noLimitOfAModelGetsAnythingBack() {
    judge(TestReports.to("a", TestReports.laplace(0, 1)), limited(4));
    judge(TestReports.to("b", TestReports.laplace(1, 2)), limited(4));
    ledger.erase(erasure(NOW), account);

    AccountingEvent next = judge(TestReports.to("a", TestReports.laplace(0, 1)), limited(4));
    assertAdmitted(next);
    assertThat(next.getModelTotals().getEpsilon()).isEqualTo(4);
    assertThat(next.getUserTotals().getEpsilon()).isEqualTo(4);
    // A model that begins after the erasure gets no part of it.
    AccountingEvent other = judge(TestReports.to("c", TestReports.laplace(1, 1.5)), limited(4));
    assertOutcome(other, REFUSED_BUDGET);
    assertThat(other.getModelTotals().getEpsilon()).isEqualTo(4.5);
  }

  @Test
  void anErasedUserTakesPartInNoCentralModel() {
    AdmissionRules rules = BudgetTest.central(9, 1);
    assertAdmitted(judge(TestReports.central(0), rules));
    double mu = account.userTotals().mu();
    AccountingEvent erased = ledger.erase(erasure(NOW), account);
    assertThat(erased.getUserTotals().getMu()).isEqualTo(mu);
    assertOutcome(judge(TestReports.central(1, 20), rules), REFUSED_PARTICIPATION)
        .contains("erased");
    assertThat(account.userTotals().mu()).isEqualTo(mu);
  }

  @Test
  void theWindowCountsOnTheDayOfTheErasure() {
    ledger = new Ledger(Limits.newBuilder().setEpsilon(3).setPerDays(10).build());
    AdmissionRules free = BudgetTest.local(Limits.newBuilder());
    judge(on(NOW, TestReports.laplace(0, 1)), free);
    judge(on(NOW + 6, TestReports.laplace(1, 1)), free);
    AccountingEvent erased = ledger.erase(erasure(NOW + 11), account);
    assertThat(erased.getUserWindow().getTotals().getEpsilon()).isEqualTo(1);
    assertThat(erased.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(account.userDays().days).containsExactly(NOW + 11);
    AccountingEvent late = judge(on(NOW + 20, TestReports.laplace(0, 2)), free);
    assertAdmitted(late);
    assertThat(late.getUserWindow().getTotals().getEpsilon()).isEqualTo(3);
    AccountingEvent free10 = judge(on(NOW + 21, TestReports.laplace(1, 1)), free);
    assertThat(free10.getUserWindow().getTotals().getEpsilon()).isEqualTo(3);
  }

  private AccountingEvent next(int number, MapAccount user) {
    long day = NOW + number / 10;
    if (random.nextInt(15) == 0) {
      return ledger.erase(erasure(day), user);
    }
    double level = random.nextDouble();
    ReportDraft report =
        switch (random.nextInt(3)) {
          case 0 -> TestReports.gaussian(number, level);
          case 1 -> TestReports.undisclosed(number);
          default -> TestReports.laplace(number, level);
        };
    int model = random.nextInt(3);
    List<AdmissionRules> rules =
        List.of(
            limited(9),
            BudgetTest.local(Limits.newBuilder().setEpsilon(5).setDelta(1e-6)),
            BudgetTest.local(Limits.newBuilder().setMu(3).setPerDays(4)));
    return judge(on(day, TestReports.to("model " + model, report)), rules.get(model), user);
  }

  /** Central reports that are refused cost nothing, but their devices are known. */
  @Test
  void anAccountWithoutChargesIsANewOneAfterwards() {
    account.storeWindow(new DeviceWindow("d"));
    AccountingEvent erased = new Ledger().erase(erasure(NOW), account);
    assertOutcome(erased, ERASED);
    assertThat(account.isErased()).isFalse();
    assertThat(account.windows).isEmpty();
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(erased, rebuilt)).isTrue();
    assertThat(rebuilt.isErased()).isFalse();
  }

  /** As records, and with an account on the heap beside the one in maps. */
  @Tag("ci")
  @Test
  void aRebuildHasTheSameAccount() throws Exception {
    for (int run = 0; run < 40; run++) {
      MapAccount user = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      HeapAccount heap = new HeapAccount();
      Limits.Builder limits = Limits.newBuilder().setEpsilon(9).setDelta(1e-6);
      ledger = new Ledger(run % 2 == 0 ? limits.build() : limits.setPerDays(5).build());
      AccountingEventWriter writer = new AccountingEventWriter();
      for (int number = 0; number < 100; number++) {
        AccountingEvent event = next(number, user);
        AccountingEvent read = AccountingEvents.read(AccountingKey.of(event), writer.write(event));
        assertThat(AccountRebuild.apply(read, rebuilt)).as("run %s, %s", run, event).isTrue();
        assertThat(AccountRebuild.apply(read, heap)).as("run %s, %s", run, event).isTrue();
      }
      assertThat(rebuilt)
          .usingRecursiveComparison()
          .ignoringFields("accesses", "windows")
          .isEqualTo(user);
      assertThat(heap.userTotals()).usingRecursiveComparison().isEqualTo(user.userTotals());
      assertThat(heap.isErased()).isEqualTo(user.isErased());
    }
  }

  /**
   * An operator may delete the person's earlier events, but not the erasure. Totals in events are
   * rounded up, so the account is the same but for the last digits.
   */
  @Test
  void theErasureAloneSuffices() {
    ledger = new Ledger(Limits.newBuilder().setEpsilon(5).setPerDays(5).build());
    for (int number = 0; number < 9; number++) {
      judge(on(NOW + number, TestReports.laplace(number, 0.5)), limited(9));
    }
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(ledger.erase(erasure(NOW + 9), account), rebuilt)).isTrue();
    AccountRebuild.apply(judge(on(NOW + 9, TestReports.laplace(0, 0.5)), limited(9)), rebuilt);

    assertThat(rebuilt.userTotals().epsilonNanos).isEqualTo(5_000_000_000L);
    assertThat(rebuilt.modelTotals("m").epsilonNanos).isEqualTo(5_000_000_000L);
    assertThat(rebuilt.userDays().days).isEqualTo(account.userDays().days);
    assertThat(rebuilt.userDays().totals[0].epsilonNanos).isEqualTo(2_500_000_000L);
    assertThat(rebuilt.userTotals().rhoPicos - account.userTotals().rhoPicos).isBetween(0L, 2L);
    assertThat(rebuilt.userTotals().allMuSquared() - account.userTotals().allMuSquared())
        .isBetween(0L, 2L);
  }

  /**
   * A compacted topic has the newest event of each key. A report without a device that changes no
   * account of a model may come before or after the erasure, and may have the key that it had.
   */
  @Test
  void compactionKeepsTheErasure() throws Exception {
    AccountingEventWriter writer = new AccountingEventWriter();
    for (boolean formerKey : List.of(false, true)) {
      MapAccount user = new MapAccount();
      List<AccountingEvent> events =
          List.of(
              judge(withoutDevice(0), limited(9), user),
              ledger.judgeUnknownModel(withoutDevice(1).build(), user),
              ledger.erase(erasure(NOW), user),
              ledger.judgeUnknownModel(withoutDevice(2).build(), user));
      Map<ByteBuffer, AccountingEvent> newest = new LinkedHashMap<>();
      for (AccountingEvent event : events) {
        boolean before = event.equals(events.get(1));
        byte[] key = formerKey && before ? "//u".getBytes(UTF_8) : AccountingKey.of(event);
        newest.remove(ByteBuffer.wrap(key));
        newest.put(ByteBuffer.wrap(key), AccountingEvents.read(key, writer.write(event)));
      }
      MapAccount rebuilt = new MapAccount();
      newest.values().forEach(event -> AccountRebuild.apply(event, rebuilt));
      assertThat(rebuilt.isErased()).isTrue();
      assertThat(rebuilt.models).isEmpty();
      assertThat(rebuilt.userTotals().epsilonNanos).isEqualTo(user.userTotals().epsilonNanos);
      assertThat(rebuilt.window("").highest).isEqualTo(2);
    }
  }

  private static ReportDraft withoutDevice(int number) {
    ReportDraft report = TestReports.laplace(number, 1);
    report.userId = "u";
    report.deviceId = "";
    return report;
  }
}
