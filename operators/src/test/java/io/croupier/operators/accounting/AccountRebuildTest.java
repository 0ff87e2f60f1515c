package io.croupier.operators.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events are all that it takes to have the accounts again. */
class AccountRebuildTest {
  private static final int SEED = 83;

  private final Random random = new Random(SEED);
  private final Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);

  private static List<ModelTerms> terms() {
    return List.of(
        BudgetTest.local(Limits.newBuilder()),
        BudgetTest.local(Limits.newBuilder().setEpsilon(3)),
        BudgetTest.local(Limits.newBuilder().setMu(2).setReports(9)),
        BudgetTest.local(Limits.newBuilder().setEpsilon(3).setDelta(1e-6)),
        BudgetTest.local(Limits.newBuilder().setEpsilon(8).setDelta(1e-9)),
        BudgetTest.local(Limits.newBuilder().setDelta(1e-6)),
        BudgetTest.central(2, 1));
  }

  private Report report() {
    long sequence = random.nextInt(60);
    double level = random.nextBoolean() ? random.nextDouble() : (1 + random.nextInt(90)) / 100.0;
    if (random.nextInt(50) == 0) {
      level = Math.scalb(level, 10 + random.nextInt(60));
    }
    Report report =
        switch (random.nextInt(6)) {
          case 0 -> TestReports.undisclosed(sequence);
          case 1 -> TestReports.gaussian(sequence, level);
          case 2 -> TestReports.coordinates(sequence, level, 1e-3 * random.nextDouble());
          case 3 -> TestReports.coordinates(sequence, level, Double.POSITIVE_INFINITY);
          case 4 -> TestReports.central(sequence);
          default -> TestReports.laplace(sequence, level);
        };
    report.round = random.nextInt(30);
    report.digestLow = random.nextInt(3);
    report.deviceId = "device " + random.nextInt(3);
    return report;
  }

  private List<AccountingEvent> judge(MapAccount account, int reports) {
    Ledger ledger = new Ledger(Limits.newBuilder().setReports(150).setDelta(1e-6).build());
    List<ModelTerms> terms = terms();
    List<AccountingEvent> events = new ArrayList<>();
    for (int n = 0; n < reports; n++) {
      Report report = report();
      int model = random.nextInt(terms.size() + 1);
      report.modelId = "model " + model;
      // Now and then the limits of a model change.
      int spec = random.nextInt(20) == 0 ? random.nextInt(terms.size() - 1) : model;
      AccountingEvent event =
          model == terms.size()
              ? ledger.judgeUnknownModel(report, account)
              : ledger.judge(report, terms.get(spec), account);
      outcomes.add(event.getOutcome());
      events.add(event);
    }
    return events;
  }

  @Test
  void totalsAreTheSameToTheLastUnit() {
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      for (AccountingEvent event : judge(account, 200)) {
        assertThat(AccountRebuild.apply(event, rebuilt))
            .as("seed %s, run %s, %s", SEED, run, event)
            .isTrue();
      }
      assertThat(rebuilt.userTotals())
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(account.userTotals());
      assertThat(rebuilt.models)
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(account.models);
      assertThat(rebuilt.windows.keySet()).isEqualTo(account.windows.keySet());
      account.windows.forEach(
          (device, window) ->
              assertThat(rebuilt.windows.get(device).highest).isEqualTo(window.highest));
    }
    assertThat(outcomes)
        .contains(
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_BUDGET,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_DECLARATION,
            Outcome.REFUSED_SEQUENCE,
            Outcome.REFUSED_SEPARATION,
            Outcome.REFUSED_PARTICIPATION);
  }

  @Test
  void aMissingEventShows() {
    MapAccount rebuilt = new MapAccount();
    List<AccountingEvent> events = judge(new MapAccount(), 20);
    boolean agrees = true;
    for (AccountingEvent event : events.subList(1, 20)) {
      agrees &= AccountRebuild.apply(event, rebuilt);
    }
    assertThat(agrees).isFalse();
  }

  @Test
  void everyNumberUpToTheHighestIsUsedUp() {
    Ledger ledger = new Ledger();
    ModelTerms terms = BudgetTest.local(Limits.newBuilder());
    MapAccount rebuilt = new MapAccount();
    MapAccount account = new MapAccount();
    for (long sequence : new long[] {5, 9, 3, 9}) {
      AccountRebuild.apply(
          ledger.judge(TestReports.laplace(sequence, 0.5), terms, account), rebuilt);
    }
    for (long sequence : new long[] {0, 4, 5, 9}) {
      AccountingEvent event = ledger.judge(TestReports.laplace(sequence, 0.5), terms, rebuilt);
      assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
      assertThat(event.getReason())
          .isEqualTo("sequence is " + sequence + ": it must be at least 10, since 9 was judged");
    }
    for (long sequence : new long[] {11, 10, 90}) {
      assertThat(ledger.judge(TestReports.laplace(sequence, 0.5), terms, rebuilt).getOutcome())
          .isEqualTo(Outcome.ADMITTED);
    }
    assertThat(ledger.judge(TestReports.laplace(10, 0.5), terms, rebuilt).getReason())
        .contains("at least 27");
  }

  @Test
  void anEventWithoutDeclarationIsNone() {
    AccountingEvent event = AccountingEvent.newBuilder().setOutcome(Outcome.ADMITTED).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(event, new MapAccount()))
        .withMessageContaining("declaration of the accounting event is missing");
  }
}
