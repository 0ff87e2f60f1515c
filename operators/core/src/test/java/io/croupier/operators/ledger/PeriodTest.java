package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Window;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Limits that hold for each window of days. */
class PeriodTest extends LedgerFixture {
  private static final long DAY_MS = 86_400_000;
  private static final long NOW = 20_000;
  private static final int SEED = 5;

  /** The last day of a random life. */
  private static final int NEWEST = 120;

  private final Random random = new Random(SEED);

  private static Ledger ledger(Limits.Builder limits) {
    return new Ledger(limits.build());
  }

  private static Limits.Builder epsilon(double epsilon, int days) {
    return Limits.newBuilder().setEpsilon(epsilon).setPerDays(days);
  }

  private static AdmissionRules unlimited() {
    return BudgetTest.local(Limits.newBuilder());
  }

  private static ReportDraft on(long day, ReportDraft report) {
    report.appendedAtMs = day * DAY_MS + DAY_MS - 1;
    return report;
  }

  private AccountingEvent laplace(Ledger ledger, AdmissionRules rules, long day, double epsilon) {
    return ledger.judge(on(day, TestReports.laplace(sequence++, epsilon)).build(), rules, account);
  }

  @Test
  void aChargeLeavesTheWindowAfterThePeriod() {
    AdmissionRules rules = BudgetTest.local(epsilon(1, 30));
    Ledger ledger = new Ledger();
    assertAdmitted(laplace(ledger, rules, NOW + 1, 0.75));
    AccountingEvent next = laplace(ledger, rules, NOW + 30, 0.25);
    assertAdmitted(next);
    assertThat(next.getLeftModel().getEpsilon()).isZero();
    AccountingEvent last = laplace(ledger, rules, NOW + 31, 0.75);
    assertAdmitted(last);
    assertThat(last.getModelTotals().getEpsilon()).isEqualTo(1.75);
    assertThat(last.getModelWindow().getTotals().getEpsilon()).isEqualTo(1);
    assertThat(last.getModelWindow().getDays()).isEqualTo(30);
    assertThat(last.hasUserWindow()).isFalse();
    assertThat(laplace(ledger, rules, NOW + 59, 0.25).getReason())
        .isEqualTo(
            "limits.epsilon is 1.0 in 30 days: 1 was spent before, and this report would add 0.25");
  }

  @Test
  void withoutAPeriodEventsHaveNoTimes() {
    AccountingEvent event = laplace(ledger(Limits.newBuilder().setEpsilon(9)), unlimited(), NOW, 1);
    assertThat(event.hasAppendedAtMs()).isFalse();
    assertThat(event.hasUserWindow()).isFalse();
    assertThat(account.userDays()).isSameAs(DailyTotals.NONE);
  }

  @Test
  void timeThatGoesBackwardsForgetsNothing() {
    Ledger ledger = ledger(epsilon(1, 2));
    laplace(ledger, unlimited(), NOW, 1);
    assertOutcome(laplace(ledger, unlimited(), NOW - 5, 0.5), REFUSED_BUDGET);
    assertOutcome(laplace(ledger, unlimited(), 0, 0.5), REFUSED_BUDGET);
    // All of them count on the newest day.
    assertThat(laplace(ledger, unlimited(), NOW + 1, 0.5).getUserWindow().getTotals().getEpsilon())
        .isEqualTo(2.5);
    assertThat(account.userDays().days).containsExactly(NOW, NOW + 1);
  }

  @Test
  void whatWasChargedBeforeThePeriodCountsOnItsFirstDay() {
    laplace(new Ledger(), unlimited(), NOW, 1);
    Ledger ledger = ledger(epsilon(1, 3));
    assertOutcome(laplace(ledger, unlimited(), NOW + 300, 0.5), REFUSED_BUDGET);
    assertThat(account.userDays().days).containsExactly(NOW + 300);
    assertAdmitted(laplace(ledger, unlimited(), NOW + 303, 1));
    // A longer period: how the earlier charges are distributed is no longer known.
    assertThat(
            laplace(ledger(epsilon(9, 4)), unlimited(), NOW + 304, 1)
                .getUserWindow()
                .getTotals()
                .getEpsilon())
        .isEqualTo(3.5);
    // A shorter one.
    assertThat(
            laplace(ledger(epsilon(9, 1)), unlimited(), NOW + 305, 1)
                .getUserWindow()
                .getTotals()
                .getEpsilon())
        .isEqualTo(1);
    // None: the days end, so a later period begins anew.
    laplace(new Ledger(), unlimited(), NOW + 306, 1);
    assertThat(account.userDays().days).isEmpty();
  }

  /** The sum over any consecutive days, whatever the order in which the days come. */
  @Test
  void noWindowExceedsItsLimit() {
    for (int run = 0; run < 50; run++) {
      MapAccount user = new MapAccount();
      int period = 1 + random.nextInt(10);
      int limit = 8 + random.nextInt(20);
      Ledger ledger =
          ledger(Limits.newBuilder().setReports(limit).setMu(limit / 4.0).setPerDays(period));
      long[] reports = new long[NEWEST + 1];
      double[] muSquared = new double[NEWEST + 1];
      int admitted = 0;
      for (int day = 0; day <= NEWEST; day += random.nextInt(3)) {
        ReportDraft report =
            random.nextBoolean()
                ? TestReports.gaussian(sequence++, 0.5)
                : TestReports.laplace(sequence++, 0.5);
        AccountingEvent event = ledger.judge(on(NOW + day, report).build(), unlimited(), user);
        if (event.getOutcome() == ADMITTED) {
          admitted++;
          reports[day]++;
          muSquared[day] += Math.pow(event.getSpent().getMuOfAll(), 2);
        }
        assertThat(user.userDays().days.length).isLessThanOrEqualTo(period);
      }
      for (int first = 0; first + period <= NEWEST + 1; first++) {
        long count = 0;
        double sum = 0;
        for (int day = first; day < first + period; day++) {
          count += reports[day];
          sum += muSquared[day];
        }
        assertThat(count).as("seed %s, run %s", SEED, run).isLessThanOrEqualTo(limit);
        assertThat(sum)
            .as("seed %s, run %s", SEED, run)
            .isLessThanOrEqualTo(limit * limit / 16.0 * (1 + 1e-9));
      }
      assertThat(admitted).isGreaterThan(limit / 4);
    }
  }

  /** A filter that the first report chose would differ from window to window. */
  @Test
  void epsilonAtADeltaAlwaysUsesTheFilterOfRenyiDivergences() {
    AdmissionRules rules = BudgetTest.local(epsilon(2, 7).setDelta(1e-6));
    Ledger ledger = new Ledger();
    AccountingEvent event = AccountingEvent.getDefaultInstance();
    int admitted = 0;
    for (int n = 0; n < 100 && event.getOutcome() != REFUSED_BUDGET; n++) {
      event =
          ledger.judge(
              on(NOW + n / 50, TestReports.gaussian(sequence++, 0.1)).build(), rules, account);
      admitted += event.getOutcome() == ADMITTED ? 1 : 0;
    }
    assertThat(admitted).isPositive();
    assertThat(event.getReason())
        .startsWith("limits.epsilon is 2.0 at limits.delta 1.0E-6 in 7 days, so the sum of Renyi");
    AccountingEvent later =
        ledger.judge(on(NOW + 9, TestReports.gaussian(sequence++, 0.1)).build(), rules, account);
    assertAdmitted(later);
    assertThat(later.getModelWindow().getTotals().getRenyi())
        .isCloseTo(later.getModelWindow().getTotals().getRenyiOrder() * 0.005, within(2e-12));
  }

  @Test
  void centralReportsHaveNoPeriod() {
    AccountingEvent event =
        ledger(Limits.newBuilder().setMu(9).setPerDays(7))
            .judge(on(NOW, TestReports.central(0)).build(), BudgetTest.central(2, 1), account);
    assertOutcome(event, REFUSED_DECLARATION).contains("limits.user.per is set");
  }

  private static List<AdmissionRules> rules() {
    return List.of(
        unlimited(),
        BudgetTest.local(epsilon(3, 5)),
        BudgetTest.local(epsilon(3, 9).setDelta(1e-6)),
        BudgetTest.local(epsilon(5, 3).setDelta(1e-9)),
        BudgetTest.local(Limits.newBuilder().setMu(2).setReports(9)),
        BudgetTest.local(Limits.newBuilder().setReports(9).setDelta(1e-6).setPerDays(4)));
  }

  private ReportDraft report(long day) {
    long number = random.nextInt(3) == 0 ? Math.max(0, sequence - 1) : sequence++;
    double level = random.nextDouble();
    ReportDraft report =
        switch (random.nextInt(4)) {
          case 0 -> TestReports.undisclosed(number);
          case 1 -> TestReports.gaussian(number, level);
          case 2 -> TestReports.answer(number, level);
          default -> TestReports.laplace(number, level);
        };
    report.modelId = "model " + random.nextInt(4);
    return on(day, report);
  }

  private List<AccountingEvent> history(MapAccount user, int reports) {
    List<AdmissionRules> rules = rules();
    List<AccountingEvent> events = new ArrayList<>();
    Ledger ledger = new Ledger();
    long day = NOW;
    for (int n = 0; n < reports; n++) {
      day += random.nextInt(4) == 0 ? random.nextInt(5) - 1 : 0;
      if (random.nextInt(25) == 0) {
        ledger =
            random.nextInt(4) == 0
                ? new Ledger()
                : ledger(epsilon(8, 1 + random.nextInt(9)).setDelta(1e-6));
      }
      ReportDraft report = report(day);
      int model = report.modelId.charAt(report.modelId.length() - 1) - '0';
      int spec = random.nextInt(15) == 0 ? random.nextInt(rules.size()) : model;
      events.add(ledger.judge(report.build(), rules.get(spec), user));
    }
    return events;
  }

  @Tag("ci")
  @Test
  void aRebuildHasTheSameDays() {
    for (int run = 0; run < 40; run++) {
      MapAccount user = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      sequence = 0;
      for (AccountingEvent event : history(user, 150)) {
        assertThat(AccountRebuild.apply(event, rebuilt))
            .as("seed %s, run %s, %s", SEED, run, event)
            .isTrue();
      }
      assertThat(rebuilt.userDays())
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(user.userDays());
      assertThat(rebuilt.modelDays)
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(user.modelDays);
    }
  }

  /** Where events are missing, no window gets budget back. */
  @Test
  void aRebuildFromPartOfTheEventsHasNoLess() {
    Ledger ledger = ledger(epsilon(100, 10));
    MapAccount rebuilt = new MapAccount();
    for (int n = 0; n < 200; n++) {
      AccountingEvent event = laplace(ledger, unlimited(), NOW + n / 5, 0.5);
      if (n == 199 || random.nextInt(3) == 0) {
        AccountRebuild.apply(event, rebuilt);
      }
    }
    for (int later = 0; later < 12; later++) {
      long day = NOW + 39 + later;
      assertThat(window(rebuilt.userDays(), 10, day))
          .isGreaterThanOrEqualTo(window(account.userDays(), 10, day));
    }
  }

  /** Two devices, of which a compacted topic has the newest event each. */
  @Test
  void daysThatAddUpByChanceAreNotTrusted() {
    Ledger ledger = ledger(epsilon(100, 7));
    judge(ledger, "a", 1, 4);
    AccountingEvent ofB = judge(ledger, "b", 7, 1);
    judge(ledger, "a", 8, 4);
    AccountingEvent ofA = judge(ledger, "a", 9, 1);

    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(ofB, rebuilt)).isFalse();
    assertThat(AccountRebuild.apply(ofA, rebuilt)).isFalse();
    assertNoWindowHasLess(rebuilt, account, NOW + 9, 7, "two devices");
    assertThat(account.userDays().window(7, NOW + 14, new Totals(), 0).epsilon())
        .as("what the next report would be added to")
        .isEqualTo(5);
  }

  /** Returns the last event of some reports of epsilon 1. */
  private AccountingEvent judge(Ledger ledger, String device, int day, int reports) {
    AccountingEvent last = null;
    for (int i = 0; i < reports; i++) {
      ReportDraft report = on(NOW + day, TestReports.laplace(sequence++, 1));
      report.deviceId = device;
      last = ledger.judge(report.build(), BudgetTest.local(epsilon(100, 7)), account);
    }
    return last;
  }

  private static long window(DailyTotals days, int period, long end) {
    return days.window(period, end, new Totals(), 0).epsilonNanos;
  }

  /** Compares all windows that begin with the last day of the account, or later. */
  private static void assertNoWindowHasLess(
      MapAccount rebuilt, MapAccount user, long day, int ofModels, String as) {
    for (long end = day; end < day + 9; end++) {
      assertThat(window(rebuilt.userDays(), 7, end))
          .as("%s, user, day %s", as, end - NOW)
          .isGreaterThanOrEqualTo(window(user.userDays(), 7, end));
      for (String model : user.modelDays.keySet()) {
        assertThat(window(rebuilt.modelDays(model), ofModels, end))
            .as("%s, %s, day %s", as, model, end - NOW)
            .isGreaterThanOrEqualTo(window(user.modelDays(model), ofModels, end));
      }
    }
  }

  /** Random lives of two models and three devices, compacted at any time. */
  @Tag("ci")
  @Test
  void theNewestEventOfEachKeyGivesNoWindowBack() throws Exception {
    AccountingEventWriter writer = new AccountingEventWriter();
    for (int run = 0; run < 200; run++) {
      Ledger ledger = ledger(epsilon(20, 7));
      MapAccount user = new MapAccount();
      Map<ByteBuffer, AccountingEvent> newest = new LinkedHashMap<>();
      long day = NOW;
      for (int n = 0; n < 40; n++) {
        day += random.nextInt(3) / 2;
        ReportDraft report = on(day, TestReports.laplace(n, 1));
        report.deviceId = "device " + random.nextInt(3);
        report.modelId = "model " + random.nextInt(2);
        AccountingEvent event =
            ledger.judge(report.build(), BudgetTest.local(epsilon(12, 5)), user);
        byte[] key = AccountingKey.of(event);
        newest.remove(ByteBuffer.wrap(key));
        newest.put(ByteBuffer.wrap(key), AccountingEvents.read(key, writer.write(event)));
        MapAccount rebuilt = new MapAccount();
        newest.values().forEach(kept -> AccountRebuild.apply(kept, rebuilt));
        assertNoWindowHasLess(
            rebuilt, user, day, 5, "seed %s, run %s, report %s".formatted(SEED, run, n));
      }
    }
  }

  @Test
  void impossiblePeriodsAreFound() {
    AccountingEvent event = laplace(ledger(epsilon(1, 30)), unlimited(), NOW, 0.5);
    for (int days : new int[] {-1, 0, 371}) {
      AccountingEvent impossible =
          event.toBuilder()
              .setUserWindow(Window.newBuilder(event.getUserWindow()).setDays(days))
              .build();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> AccountRebuild.apply(impossible, new MapAccount()))
          .withMessageContaining("the window's days are " + days + "; they must be from 1 to 370");
    }
  }
}
