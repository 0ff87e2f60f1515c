package io.croupier.operators.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.Clip;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.BltSpend;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Spend;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accounts can be recomputed from the events alone. */
class AccountRebuildTest {
  private static final int SEED = 83;

  private final Ledger ledger =
      new Ledger(Limits.newBuilder().setReports(150).setDelta(1e-6).build());
  private final Random random = new Random(SEED);
  private final Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);

  private static List<AdmissionRules> terms() {
    return List.of(
        BudgetTest.local(Limits.newBuilder()),
        BudgetTest.local(Limits.newBuilder().setEpsilon(3)),
        BudgetTest.local(Limits.newBuilder().setMu(2).setReports(9)),
        BudgetTest.local(Limits.newBuilder().setEpsilon(3).setDelta(1e-6)),
        BudgetTest.local(Limits.newBuilder().setEpsilon(8).setDelta(1e-9)),
        BudgetTest.local(Limits.newBuilder().setDelta(1e-6)),
        BudgetTest.central(2, 1),
        CentralChargeTest.tree(0.7, 5, BudgetTest.participations(9, 0).setMu(9)),
        CentralChargeTest.tree(3, 8, BudgetTest.participations(9, 0).setEpsilon(5)),
        CentralChargeTest.leastSquares(7, BudgetTest.participations(3, 0)),
        BltChargeTest.blt(4, 1, 25, BudgetTest.participations(4, 1).setEpsilon(9)),
        BltChargeTest.blt(4, 1, 25, BudgetTest.participations(2, 5)));
  }

  private Report report(long firstSequence) {
    long sequence = firstSequence + random.nextInt(60);
    double level = random.nextBoolean() ? random.nextDouble() : (1 + random.nextInt(90)) / 100.0;
    if (random.nextInt(50) == 0) {
      level = Math.scalb(level, 10 + random.nextInt(60));
    }
    Report report =
        switch (random.nextInt(8)) {
          case 0 -> TestReports.undisclosed(sequence);
          case 1 -> TestReports.gaussian(sequence, level);
          case 2 -> TestReports.coordinates(sequence, level, 1e-3 * random.nextDouble());
          case 3 -> TestReports.coordinates(sequence, level, Double.POSITIVE_INFINITY);
          case 4, 5 -> TestReports.central(sequence);
          case 6 ->
              TestReports.privUnit(sequence, Math.min(16, level), 256, 1 + random.nextInt(128));
          default -> TestReports.laplace(sequence, level);
        };
    report.round = random.nextInt(30) + firstSequence;
    if (random.nextInt(9) == 0) {
      report.form = VectorForm.EXAMPLE;
    }
    report.digest = random.nextInt(3);
    report.deviceId = "device " + random.nextInt(3);
    return report;
  }

  private List<AccountingEvent> judge(MapAccount account, int reports) {
    return judge(account, reports, 20);
  }

  /**
   * Judges reports.
   *
   * @param change the limits of a model, and its noise, differ for one in so many reports
   */
  private List<AccountingEvent> judge(MapAccount account, int reports, int change) {
    List<AdmissionRules> rules = terms();
    List<AccountingEvent> events = new ArrayList<>();
    for (int n = 0; n < reports; n++) {
      Report report = report(0);
      int model = random.nextInt(rules.size() + 1);
      report.modelId = "model " + model;
      int spec = random.nextInt(change) == 0 ? random.nextInt(rules.size() - 1) : model;
      AccountingEvent event =
          model == rules.size()
              ? ledger.judgeUnknownModel(report, account)
              : ledger.judge(report, rules.get(spec), account);
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
      assertThat(rebuilt.zetas)
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(account.zetas);
      assertThat(rebuilt.wholeCharges)
          .as("seed %s, run %s", SEED, run)
          .usingRecursiveComparison()
          .isEqualTo(account.wholeCharges);
      assertSameDevices(account, rebuilt);
      assertLaterJudgementsAreTheSame(account, rebuilt);
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

  /**
   * A compacted topic has the newest event of each key. The noise of a model is fixed. Totals of
   * events are rounded up, so the account may have a little more, never less.
   */
  @Test
  void theNewestEventOfEachKeySuffices() throws Exception {
    AccountingEventWriter writer = new AccountingEventWriter();
    int dropped = 0;
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      Map<ByteBuffer, AccountingEvent> newest = new LinkedHashMap<>();
      for (AccountingEvent event : judge(account, 300, Integer.MAX_VALUE)) {
        byte[] key = AccountingKey.of(event);
        // At the end of the topic, where the newest record of a key is.
        dropped += newest.remove(ByteBuffer.wrap(key)) == null ? 0 : 1;
        newest.put(ByteBuffer.wrap(key), AccountingEvents.read(key, writer.write(event)));
      }

      MapAccount rebuilt = new MapAccount();
      newest.values().forEach(event -> AccountRebuild.apply(event, rebuilt));

      String place = "seed %s, run %s".formatted(SEED, run);
      assertNoLess(place, rebuilt.userTotals(), account.userTotals());
      assertThat(rebuilt.models).as(place).hasSameSizeAs(account.models);
      account.models.forEach(
          (model, totals) -> assertNoLess(place + ", " + model, rebuilt.models.get(model), totals));
      assertThat(rebuilt.zetas).as(place).usingRecursiveComparison().isEqualTo(account.zetas);
      assertThat(rebuilt.wholeCharges)
          .as(place)
          .usingRecursiveComparison()
          .isEqualTo(account.wholeCharges);
      assertSameHighest(place, account, rebuilt);
    }
    assertThat(dropped).as("events that compaction removes").isGreaterThan(9_000);
    assertThat(outcomes).contains(Outcome.DUPLICATE, Outcome.REFUSED_SEQUENCE);
  }

  private static void assertNoLess(String place, Totals rebuilt, Totals ledgers) {
    assertThat(rebuilt.reports).as(place).isEqualTo(ledgers.reports);
    assertThat(rebuilt.undisclosed).as(place).isEqualTo(ledgers.undisclosed);
    assertThat(rebuilt.unbounded).as(place).isEqualTo(ledgers.unbounded);
    assertThat(rebuilt.participations).as(place).isEqualTo(ledgers.participations);
    assertThat(rebuilt.lastRound).as(place).isEqualTo(ledgers.lastRound);
    assertSlightlyMore(place, rebuilt.epsilonNanos, ledgers.epsilonNanos);
    assertSlightlyMore(place, rebuilt.muSquaredPicos, ledgers.muSquaredPicos);
    assertSlightlyMore(place, rebuilt.rhoPicos, ledgers.rhoPicos);
    assertSlightlyMore(place, rebuilt.allMuSquared(), ledgers.allMuSquared());
    assertSlightlyMore(place, rebuilt.variationAttos, ledgers.variationAttos);
  }

  private static void assertSlightlyMore(String place, long rebuilt, long ledgers) {
    assertThat(rebuilt)
        .as(place)
        .isGreaterThanOrEqualTo(ledgers)
        .isLessThanOrEqualTo(DecimalUnits.add(ledgers, 4 + (long) (1e-12 * ledgers)));
  }

  private static void assertSameHighest(String place, MapAccount account, MapAccount rebuilt) {
    assertThat(rebuilt.windows).as(place).hasSameSizeAs(account.windows);
    for (DeviceWindow window : account.windows) {
      assertThat(rebuilt.window(window.deviceId).highest).as(place).isEqualTo(window.highest);
      assertThat(rebuilt.window(window.deviceId).isClosed()).as(place).isTrue();
    }
  }

  /** More devices than an account keeps: the same ones are closed, and the same are forgotten. */
  @Test
  void manyDevicesInTheSameOrder() {
    MapAccount account = new MapAccount();
    MapAccount rebuilt = new MapAccount();
    for (int n = 0; n < 3000; n++) {
      Report report = TestReports.laplace(random.nextInt(100), 0.01);
      report.deviceId = "device " + random.nextInt(90);
      report.digest = random.nextInt(3);
      report.modelId = "model 0";
      AccountingEvent event = ledger.judge(report, terms().get(0), account);
      assertThat(AccountRebuild.apply(event, rebuilt)).isTrue();
    }
    assertThat(account.windows).hasSize(DeviceWindows.KEPT);
    assertSameDevices(account, rebuilt);
  }

  /** The order counts too: by it a further device closes the window of another one. */
  private static void assertSameDevices(MapAccount account, MapAccount rebuilt) {
    assertThat(rebuilt.windows).hasSameSizeAs(account.windows);
    for (int i = 0; i < account.windows.length; i++) {
      assertThat(rebuilt.windows[i].deviceId).isEqualTo(account.windows[i].deviceId);
      assertThat(rebuilt.windows[i].highest).isEqualTo(account.windows[i].highest);
      assertThat(rebuilt.windows[i].isClosed()).isTrue();
    }
  }

  private void assertLaterJudgementsAreTheSame(MapAccount account, MapAccount rebuilt) {
    List<AdmissionRules> rules = terms();
    for (int n = 0; n < 40; n++) {
      // Sequence numbers new to both: a rebuilt account has no digests of older ones.
      Report report = report(60 + 60L * n);
      int model = random.nextInt(rules.size());
      report.modelId = "model " + model;
      assertThat(ledger.judge(report, rules.get(model), rebuilt))
          .isEqualTo(ledger.judge(report, rules.get(model), account));
    }
  }

  @Test
  void aWrongZetaIsFound() {
    AdmissionRules rules = CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0));
    MapAccount account = new MapAccount();
    AccountingEvent first = ledger.judge(TestReports.central(0), rules, account);
    Report later = TestReports.central(1);
    later.round = 1;
    AccountingEvent second = ledger.judge(later, rules, account);
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
    AccountingEvent event = ledger.judge(TestReports.central(0), rules, new MapAccount());
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
    AccountingEvent first = ledger.judge(TestReports.central(0), rules, account);
    Report later = TestReports.central(1);
    later.round = 9;
    AccountingEvent second = ledger.judge(later, rules, account);
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

  /** Every later event repeats the charge, so one of them suffices. */
  @Test
  void aWholeChargeIsRestoredWithoutItsFirstEvent() {
    AdmissionRules rules = BltChargeTest.blt(2, 2, 20, BudgetTest.participations(3, 2));
    MapAccount account = new MapAccount();
    ledger.judge(TestReports.central(0), rules, account);
    Report later = TestReports.central(1);
    later.round = 9;
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(ledger.judge(later, rules, account), rebuilt)).isFalse();
    assertHoldsAtLeast(rebuilt.userTotals(), account.userTotals(), "one event");
    later = TestReports.central(2);
    later.round = 19;
    AccountingEvent third = ledger.judge(later, rules, rebuilt);
    assertThat(third.getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(third.getCentralSpend().getZeta()).isZero();
  }

  @Test
  void participationsWithoutARecordedChargeAreAccepted() {
    AdmissionRules rules = CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0));
    AccountingEvent event = ledger.judge(TestReports.central(0), rules, new MapAccount());
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
    Report later = TestReports.central(1);
    later.round = 5;
    assertThat(ledger.judge(later, rules, rebuilt).getCentralSpend().getZeta()).isEqualTo(4);
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
      Report report = TestReports.privUnit(sequence, 2, 256, 50);
      AccountingEvent event = limited.judge(report, BudgetTest.local(Limits.newBuilder()), account);
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
      Report report =
          sequence % 2 == 0
              ? TestReports.laplace(sequence, 0.8)
              : TestReports.clipped(sequence, Clip.L2, 0.3, 0.4);
      AccountingEvent event = limited.judge(report, rules, account);
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(AccountRebuild.apply(event, rebuilt)).as("event %s", sequence).isTrue();
      AccountingEvent.Builder old = event.toBuilder().clearDimension();
      if (old.hasCoordinateLaplace()) {
        old.getCoordinateLaplaceBuilder().clearEffectiveCoordinates();
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
  void aMissingEventIsFound() {
    MapAccount rebuilt = new MapAccount();
    List<AccountingEvent> events =
        judge(new MapAccount(), 20).stream()
            .dropWhile(event -> event.getSpent().getReports() == 0)
            .skip(1)
            .toList();
    boolean agrees = true;
    for (AccountingEvent event : events) {
      agrees &= AccountRebuild.apply(event, rebuilt);
    }
    assertThat(agrees).isFalse();
  }

  /** The reports of the seed's runs, with up to half the events and then every fourth missing. */
  @Test
  void missingEventsGiveNoUserBudgetBack() {
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      List<AccountingEvent> events = judge(account, 60);
      Set<String> reported = new HashSet<>();
      for (AccountingEvent event : events.subList(random.nextInt(1, 30), 60)) {
        if (random.nextInt(4) > 0 || event.equals(events.get(59))) {
          AccountRebuild.apply(event, rebuilt);
          if (event.hasModelTotals()) {
            reported.add(event.getModelId());
          }
        } else {
          reported.remove(event.getModelId());
        }
      }
      assertHoldsAtLeast(rebuilt.userTotals(), account.userTotals(), "run " + run);
      for (String model : reported) {
        assertHoldsAtLeast(
            rebuilt.modelTotals(model), account.modelTotals(model), "run " + run + ", " + model);
      }
    }
  }

  private static void assertHoldsAtLeast(Totals rebuilt, Totals lost, String what) {
    assertHolds(rebuilt.reports, lost.reports, 0, what);
    assertHolds(rebuilt.undisclosed, lost.undisclosed, 0, what);
    assertHolds(rebuilt.unbounded, lost.unbounded, 0, what);
    assertHolds(rebuilt.participations, lost.participations, 0, what);
    assertHolds(rebuilt.lastRound, lost.lastRound, 0, what);
    assertHolds(rebuilt.epsilonNanos, lost.epsilonNanos, 1e-14, what);
    assertHolds(rebuilt.rhoPicos, lost.rhoPicos, 1e-14, what);
    assertHolds(rebuilt.muSquaredPicos, lost.muSquaredPicos, 1e-14, what);
    assertHolds(rebuilt.allMuSquared(), lost.allMuSquared(), 1e-14, what);
    if (lost.renyiOrder > 0) {
      assertThat(rebuilt.renyiOrder).as(what).isEqualTo(lost.renyiOrder);
      assertThat(rebuilt.renyiPicos).as(what).isGreaterThanOrEqualTo(lost.renyiPicos);
    }
  }

  /** Not below, and above by no more than the rounding to a double. */
  private static void assertHolds(long rebuilt, long lost, double relative, String what) {
    assertThat(rebuilt).as("seed %s, %s", SEED, what).isGreaterThanOrEqualTo(lost);
    assertThat(rebuilt - lost)
        .as("seed %s, %s: of %s too much", SEED, what, lost)
        .isLessThanOrEqualTo(relative == 0 ? 0 : (long) (relative * lost) + 9);
  }

  @Test
  void eventsOfANewLedgerLowerNoTotal() {
    MapAccount rebuilt = new MapAccount();
    MapAccount first = new MapAccount();
    MapAccount second = new MapAccount();
    judge(first, 100).forEach(event -> AccountRebuild.apply(event, rebuilt));
    judge(second, 100).forEach(event -> AccountRebuild.apply(event, rebuilt));

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
          ledger.judge(TestReports.laplace(sequence, 0.5), rules, account), rebuilt);
    }
    for (long sequence : new long[] {0, 4, 5, 9}) {
      AccountingEvent event = ledger.judge(TestReports.laplace(sequence, 0.5), rules, rebuilt);
      assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
      assertThat(event.getReason())
          .isEqualTo("sequence is " + sequence + ": it must be at least 10, since 9 was judged");
    }
    for (long sequence : new long[] {11, 10, 90}) {
      assertThat(ledger.judge(TestReports.laplace(sequence, 0.5), rules, rebuilt).getOutcome())
          .isEqualTo(Outcome.ADMITTED);
    }
    assertThat(ledger.judge(TestReports.laplace(10, 0.5), rules, rebuilt).getReason())
        .contains("at least 27");
  }

  @Test
  void anEventWithoutDeclarationIsRefused() {
    AccountingEvent event = AccountingEvent.newBuilder().setOutcome(Outcome.ADMITTED).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(event, new MapAccount()))
        .withMessageContaining("declaration of the accounting event is missing");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, -5e10, Double.NEGATIVE_INFINITY, Double.NaN})
  void totalsThatCantBeSumsAreRefused(double reported) {
    AccountingEvent event =
        AccountingEvent.newBuilder()
            .setOutcome(Outcome.DUPLICATE)
            .setUserTotals(Spend.newBuilder().setEpsilon(reported))
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountRebuild.apply(event, new MapAccount()))
        .withMessageContaining("epsilon is " + reported);
  }
}
