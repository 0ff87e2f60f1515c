package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEPARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEQUENCE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_UNKNOWN_MODEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.BltSpend;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Spend;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accounts can be recomputed from the events alone. */
class AccountRebuildTest {
  private final RandomHistory history = new RandomHistory();

  @Tag("ci")
  @Test
  void totalsAreTheSameToTheLastUnit() {
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      for (AccountingEvent event : history.judge(account, 200)) {
        assertThat(AccountRebuild.apply(event, rebuilt))
            .as("seed %s, run %s, %s", RandomHistory.SEED, run, event)
            .isTrue();
      }
      assertThat(rebuilt)
          .as("seed %s, run %s", RandomHistory.SEED, run)
          .usingRecursiveComparison()
          .ignoringFields("accesses", "windows")
          .isEqualTo(account);
      assertSameDevices(account, rebuilt);
      assertLaterJudgementsAreTheSame(account, rebuilt);
    }
    assertThat(history.outcomes)
        .contains(
            ADMITTED,
            DUPLICATE,
            REFUSED_BUDGET,
            REFUSED_UNKNOWN_MODEL,
            REFUSED_DECLARATION,
            REFUSED_SEQUENCE,
            REFUSED_SEPARATION,
            REFUSED_PARTICIPATION);
  }

  /** More devices than an account keeps: the same ones are closed, and the same are forgotten. */
  @Test
  void manyDevicesInTheSameOrder() {
    MapAccount account = new MapAccount();
    MapAccount rebuilt = new MapAccount();
    for (int n = 0; n < 3000; n++) {
      ReportDraft report = TestReports.laplace(history.random.nextInt(100), 0.01);
      report.deviceId = "device " + history.random.nextInt(90);
      report.digest = history.random.nextInt(3);
      report.modelId = "model 0";
      AccountingEvent event = history.judge(report, RandomHistory.TERMS.get(0), account);
      assertThat(AccountRebuild.apply(event, rebuilt)).isTrue();
    }
    assertThat(account.windows).hasSize(DeviceWindows.KEPT);
    assertSameDevices(account, rebuilt);
  }

  /** The order counts too: by it a further device closes the window of another one. */
  private static void assertSameDevices(MapAccount account, MapAccount rebuilt) {
    assertThat(rebuilt.windows)
        .allMatch(DeviceWindow::isClosed)
        .extracting(window -> window.deviceId, window -> window.highest)
        .containsExactly(
            Arrays.stream(account.windows)
                .map(window -> tuple(window.deviceId, window.highest))
                .toArray(Tuple[]::new));
  }

  private void assertLaterJudgementsAreTheSame(MapAccount account, MapAccount rebuilt) {
    for (int n = 0; n < 40; n++) {
      // Sequence numbers new to both: a rebuilt account has no digests of older ones.
      ReportDraft report = history.report(60 + 60L * n);
      int model = history.random.nextInt(RandomHistory.TERMS.size());
      report.modelId = "model " + model;
      assertThat(history.judge(report, RandomHistory.TERMS.get(model), rebuilt))
          .isEqualTo(history.judge(report, RandomHistory.TERMS.get(model), account));
    }
  }

  @Test
  void aWrongZetaIsFound() {
    AdmissionRules rules = CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0));
    MapAccount account = new MapAccount();
    AccountingEvent first = history.judge(TestReports.central(0), rules, account);
    AccountingEvent second = history.judge(TestReports.central(1, 1), rules, account);
    // The charge of another tree, with matching totals.
    AccountingEvent forged =
        second.toBuilder()
            .setCentralSpend(first.getCentralSpend())
            .setSpent(first.getSpent())
            .setModelTotals(total(first, second.getModelTotals()))
            .setUserTotals(total(first, second.getUserTotals()))
            .build();
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(first, rebuilt)).isTrue();
    assertThat(AccountRebuild.apply(second, rebuilt)).isTrue();
    MapAccount misled = new MapAccount();
    assertThat(AccountRebuild.apply(first, misled)).isTrue();
    assertThat(AccountRebuild.apply(forged, misled)).isFalse();
  }

  /** Doubles the spend of the event. */
  private static Spend total(AccountingEvent event, Spend reported) {
    Totals twice = Totals.of(AccountingEvents.cost(event));
    twice.add(Totals.of(AccountingEvents.cost(event)));
    Spend spend = twice.toProto().build();
    return reported.toBuilder().mergeFrom(spend).build();
  }

  @Test
  void impossibleParticipationsAreFound() {
    AdmissionRules rules = CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0));
    AccountingEvent event = history.judge(TestReports.central(0), rules, new MapAccount());
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(event, rebuilt)).isTrue();
    // The same round again; then impossible trees.
    assertThat(AccountRebuild.apply(event, rebuilt)).isFalse();
    AccountingEvent.Builder wrong = event.toBuilder();
    wrong.getCentralSpendBuilder().setTrees(3);
    assertThat(AccountRebuild.apply(wrong.build(), new MapAccount())).isFalse();
    wrong.getCentralSpendBuilder().setTrees(1).setRestartEvery(-1);
    assertThat(AccountRebuild.apply(wrong.build(), new MapAccount())).isFalse();
    wrong.getCentralSpendBuilder().setRestartEvery(8).setNoiseMultiplier(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(wrong.build(), new MapAccount()))
        .withMessage(
            "central_spend.noise_multiplier of the accounting event is 0.0; it must be positive and"
                + " finite");
    wrong.getCentralSpendBuilder().setZeta(Double.NaN);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(wrong.build(), new MapAccount()))
        .withMessageContaining("central_spend.zeta");
  }

  @Test
  void impossibleWholeChargesAreFound() {
    AdmissionRules rules = BltChargeTest.blt(2, 2, 20, BudgetTest.participations(3, 2));
    MapAccount account = new MapAccount();
    AccountingEvent first = history.judge(TestReports.central(0), rules, account);
    AccountingEvent second = history.judge(TestReports.central(1, 9), rules, account);
    assertThat(AccountRebuild.apply(first, new MapAccount())).isTrue();

    List<Consumer<BltSpend.Builder>> wrong =
        List.of(
            blt -> blt.setBuffers(0),
            blt -> blt.setBuffers(6),
            blt -> blt.setHorizon(9),
            blt -> blt.setMaxParticipations(0),
            blt -> blt.setMaxParticipations(2),
            blt -> blt.setMinSeparation(-1),
            blt -> blt.setMinSeparation(3),
            blt -> blt.setZeta(0.5),
            blt -> blt.setZeta(blt.getZeta() + 1),
            blt -> blt.setZeta(Double.POSITIVE_INFINITY),
            blt -> blt.setZeta(Double.NaN));
    for (int i = 0; i < wrong.size(); i++) {
      AccountingEvent.Builder forged = second.toBuilder();
      wrong.get(i).accept(forged.getCentralSpendBuilder().getBltBuilder());
      MapAccount rebuilt = new MapAccount();
      AccountRebuild.apply(first, rebuilt);
      assertThat(AccountRebuild.apply(forged.build(), rebuilt)).as("forgery %s", i).isFalse();
    }
  }

  @Test
  void participationsWithoutARecordedChargeAreAccepted() {
    AdmissionRules rules = CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0));
    AccountingEvent event = history.judge(TestReports.central(0), rules, new MapAccount());
    Spend free = Spend.newBuilder().setReports(1).build();
    AccountingEvent old =
        event.toBuilder()
            .clearCentralSpend()
            .setSpent(free)
            .setUserTotals(free)
            .setModelTotals(free.toBuilder().setParticipations(1).setLastRound(4))
            .build();
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(old, rebuilt)).isTrue();
    assertThat(rebuilt.zetas).isEmpty();
    assertThat(history.judge(TestReports.central(1, 5), rules, rebuilt).getCentralSpend().getZeta())
        .isEqualTo(4);
  }

  /** Releases up to 0.2.0 charged priv_unit as randomised response: rebuilt accounts keep that. */
  @Test
  void formerChargesOfPrivUnitStay() {
    Ledger limited = new Ledger(Limits.newBuilder().setMu(100).build());
    MapAccount account = new MapAccount();
    MapAccount rebuilt = new MapAccount();
    Totals former = new Totals();
    Totals today = new Totals();
    for (int sequence = 0; sequence < 5; sequence++) {
      AccountingEvent event =
          limited.judge(
              TestReports.privUnit(sequence, 2, 256, 50).build(),
              BudgetTest.local(Limits.newBuilder()),
              account);
      today.add(Totals.of(new PrivUnitMechanism(2, 256, 50).cost()));
      former.add(Totals.of(Cost.ofEpsilon(2)));
      AccountingEvent old =
          event.toBuilder()
              .setSpent(Totals.of(Cost.ofEpsilon(2)).toProto())
              .setUserTotals(former.toProto())
              .setModelTotals(former.toProto())
              .build();
      assertThat(AccountRebuild.apply(old, rebuilt)).as("event %s", sequence).isTrue();
    }

    assertThat(rebuilt.userTotals()).usingRecursiveComparison().isEqualTo(former);
    assertThat(account.userTotals()).usingRecursiveComparison().isEqualTo(today);
    assertThat(today.muOfAll() / former.muOfAll()).isBetween(0.7, 0.8);
    assertThat(today.rho() / former.rho()).isBetween(0.7, 0.8);
  }

  /** Events of releases up to 0.2.0 lack what the cost of Laplace noise depends on. */
  @Test
  void formerChargesOfLaplaceNoiseStay() {
    Ledger limited = new Ledger(Limits.newBuilder().setMu(100).build());
    AdmissionRules rules = BudgetTest.local(Limits.newBuilder().setEpsilon(90).setDelta(1e-6));
    MapAccount account = new MapAccount();
    MapAccount rebuilt = new MapAccount();
    MapAccount former = new MapAccount();
    for (int sequence = 0; sequence < 6; sequence++) {
      ReportDraft report =
          sequence % 2 == 0
              ? TestReports.laplace(sequence, 0.8)
              : TestReports.clipped(sequence, DeclaredClip.L2, 0.3, 0.4);
      AccountingEvent event = limited.judge(report.build(), rules, account);
      assertAdmitted(event);
      assertThat(AccountRebuild.apply(event, rebuilt)).as("event %s", sequence).isTrue();
      AccountingEvent.Builder old = event.toBuilder().clearDimension();
      if (old.hasCoordinateLaplace()) {
        old.getCoordinateLaplaceBuilder().clearEffectiveCoordinates().clearLeastScale();
      }
      Spend spent = Totals.of(Cost.ofEpsilon(sequence % 2 == 0 ? 0.8 : 0.5)).toProto().build();
      old.setSpent(spent).clearUserTotals().clearModelTotals();
      assertThat(AccountRebuild.apply(old.setModelTotals(spent).build(), former))
          .as("event %s", sequence)
          .isEqualTo(sequence == 0);
    }

    assertThat(rebuilt.userTotals()).usingRecursiveComparison().isEqualTo(account.userTotals());
    Totals response = new Totals();
    for (int n = 0; n < 6; n++) {
      response.add(Totals.of(Cost.ofEpsilon(n % 2 == 0 ? 0.8 : 0.5)));
    }
    assertThat(former.userTotals().rhoPicos).isEqualTo(response.rhoPicos);
    assertThat(former.userTotals().pureMuSquaredPicos).isEqualTo(response.pureMuSquaredPicos);
    assertThat(account.userTotals().rho() / response.rho()).isLessThan(0.7);
  }

  @Test
  void eventsOfANewLedgerLowerNoTotal() {
    MapAccount rebuilt = new MapAccount();
    MapAccount first = new MapAccount();
    MapAccount second = new MapAccount();
    history.judge(first, 100).forEach(event -> AccountRebuild.apply(event, rebuilt));
    history.judge(second, 100).forEach(event -> AccountRebuild.apply(event, rebuilt));

    Totals sum = first.userTotals();
    Totals later = second.userTotals();
    assertThat(rebuilt.userTotals().reports).isEqualTo(sum.reports + later.reports);
    assertThat(rebuilt.userTotals().epsilonNanos)
        .isEqualTo(DecimalUnits.add(sum.epsilonNanos, later.epsilonNanos));
    assertThat(rebuilt.userTotals().muSquaredPicos)
        .isEqualTo(DecimalUnits.add(sum.muSquaredPicos, later.muSquaredPicos));
    assertThat(rebuilt.userTotals().rhoPicos)
        .isEqualTo(DecimalUnits.add(sum.rhoPicos, later.rhoPicos));
  }

  @Test
  void everySequenceNumberUpToTheHighestIsUsed() {
    AdmissionRules rules = BudgetTest.local(Limits.newBuilder());
    MapAccount rebuilt = new MapAccount();
    MapAccount account = new MapAccount();
    for (long sequence : new long[] {5, 9, 3, 9}) {
      AccountRebuild.apply(
          history.judge(TestReports.laplace(sequence, 0.5), rules, account), rebuilt);
    }
    for (long sequence : new long[] {0, 4, 5, 9}) {
      assertOutcome(
              history.judge(TestReports.laplace(sequence, 0.5), rules, rebuilt), REFUSED_SEQUENCE)
          .isEqualTo("sequence is " + sequence + ": it must be at least 10, since 9 was judged");
    }
    for (long sequence : new long[] {11, 10, 90}) {
      assertAdmitted(history.judge(TestReports.laplace(sequence, 0.5), rules, rebuilt));
    }
    assertThat(history.judge(TestReports.laplace(10, 0.5), rules, rebuilt).getReason())
        .contains("at least 27");
  }

  @Test
  void anEventWithoutDeclarationIsRefused() {
    AccountingEvent event = AccountingEvent.newBuilder().setOutcome(ADMITTED).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(event, new MapAccount()))
        .withMessageContaining("declaration of the accounting event is missing");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, -5e10, Double.NEGATIVE_INFINITY, Double.NaN})
  void totalsThatCantBeSumsAreRefused(double reported) {
    AccountingEvent event =
        AccountingEvent.newBuilder()
            .setOutcome(DUPLICATE)
            .setUserTotals(Spend.newBuilder().setEpsilon(reported))
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(event, new MapAccount()))
        .withMessageContaining("epsilon is " + reported);
  }
}
