package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEPARATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The charges of participants in a central model, and when they may take part. */
class CentralChargeTest extends LedgerFixture {
  private static final int SEED = 97;
  private static final long NEVER = Schedule.NEVER;

  private static Limits.Builder often() {
    return BudgetTest.participations(1000, 0);
  }

  static AdmissionRules tree(double noiseMultiplier, long restartEvery, Limits.Builder limits) {
    ModelSpec.Builder spec = BudgetTest.linear(noiseMultiplier, BudgetTest.TREE, limits);
    if (restartEvery != NEVER) {
      spec.getDpFtrlBuilder().setRestartEvery(restartEvery);
    }
    return BudgetTest.terms(spec);
  }

  static AdmissionRules leastSquares(double noiseMultiplier, Limits.Builder limits) {
    return BudgetTest.terms(BudgetTest.leastSquares(noiseMultiplier, BudgetTest.TREE, limits));
  }

  @Test
  void usageExample() {
    AdmissionRules rules = tree(4, 1024, often());
    AccountingEvent first = takePart(rules, 5);
    assertAdmitted(first);
    // 11 levels: mu^2 = 4 * 11 / 4^2.
    assertThat(first.getCentralSpend().getZeta()).isEqualTo(11);
    assertThat(first.getCentralSpend().getNoiseMultiplier()).isEqualTo(4);
    assertThat(first.getCentralSpend().getTrees()).isEqualTo(1);
    assertThat(first.getCentralSpend().getRestartEvery()).isEqualTo(1024);
    assertThat(account.userTotals().muSquaredPicos).isEqualTo(2_750_000_000_000L);
    assertThat(first.getSpent().getMu()).isCloseTo(Math.sqrt(2.75), within(1e-15));
    assertThat(first.getSpent().getRho()).isEqualTo(1.375);
    assertThat(first.getSpent().getEpsilon()).isZero();
    // Rounds 5 and 1023 share the root alone: 10 + 3.
    AccountingEvent second = takePart(rules, 1023);
    assertThat(second.getCentralSpend().getZeta()).isEqualTo(13);
    assertThat(second.getUserTotals().getRho()).isEqualTo(3);
    assertThat(second.getModelTotals().getEpsilonAtDelta()).isPositive();
    // The next tree.
    assertThat(takePart(rules, 1024).getCentralSpend().getZeta()).isEqualTo(11);
    assertThat(account.models.get("m").muSquaredPicos).isEqualTo(8_750_000_000_000L);
  }

  @Test
  void chargesAreThoseOfTheReference() {
    JsonNode cases = Golden.read("accounting.json").get("streaming_zeta");
    assertThat(cases).hasSize(4);
    for (JsonNode given : cases) {
      MapAccount fresh = new MapAccount();
      AdmissionRules rules = tree(2, 1L << given.get("height").asInt(), often());
      for (int i = 0; i < given.get("positions").size(); i++) {
        long round = given.get("positions").get(i).asLong();
        assertAdmitted(judge(TestReports.central(i, round), rules, fresh));
        long zeta = given.get("zeta_after_each").get(i).asLong();
        assertThat(fresh.userTotals().muSquaredPicos).isEqualTo(zeta * 1_000_000_000_000L);
        assertThat(fresh.models.get("m").rhoPicos).isEqualTo(zeta * 500_000_000_000L);
      }
    }
  }

  @Test
  void everyPatternIsChargedTheZetaOfItsCompletedTrees() {
    Random random = new Random(SEED);
    for (int run = 0; run < 150; run++) {
      MapAccount fresh = new MapAccount();
      long restartEvery = random.nextInt(1, 41);
      int most = 1 + random.nextInt(12);
      int separation = random.nextInt(6);
      AdmissionRules rules = tree(1, restartEvery, BudgetTest.participations(most, separation));
      int steps = 1 + random.nextInt(120);
      boolean[] admitted = new boolean[steps];
      for (int n = 0; n < 60; n++) {
        ReportDraft report = TestReports.central(n);
        // Most reports name later rounds; some name a round again, or an earlier one.
        report.round = Math.min(steps - 1, Math.max(0, 2 * n + random.nextInt(9) - 6));
        if (judge(report, rules, fresh).getOutcome() == ADMITTED) {
          admitted[(int) report.round] = true;
        }
      }
      GivenOrder order = new GivenOrder(restartEvery, Completion.EVERY_TREE);
      for (boolean takesPart : admitted) {
        order.step(takesPart ? new long[] {1} : new long[] {});
      }
      assertThat(fresh.userTotals().muSquaredPicos)
          .as("seed %s, run %s", SEED, run)
          .isEqualTo(4_000_000_000_000L * completed(order, steps, restartEvery).zetas().of(1));
    }
  }

  /** Completes the last tree, so that it is as high as the others. */
  private static GivenOrder completed(GivenOrder order, int steps, long restartEvery) {
    for (long step = steps; step % restartEvery != 0; step++) {
      order.step();
    }
    return order;
  }

  @Test
  void aTreeThatNeverRestartsHasThirtyOneLevels() {
    assertThat(takePart(tree(1, NEVER, often()), 0).getCentralSpend().getZeta()).isEqualTo(31);
    AccountingEvent second = takePart(tree(1, NEVER, often()), (1L << 30) - 1);
    assertThat(second.getCentralSpend().getZeta()).isEqualTo(33);
    assertThat(second.getCentralSpend().hasRestartEvery()).isFalse();
    AccountingEvent beyond = takePart(tree(1, NEVER, often()), 1L << 30);
    assertOutcome(beyond, REFUSED_PARTICIPATION)
        .isEqualTo(
            "round is 1073741824: it must be a leaf of a tree, which has at most 1073741824 leaves;"
                + " restart_every of the model is not set");
    assertThat(beyond.getSpent().getReports()).isZero();
    assertThat(beyond.hasCentralSpend()).isFalse();
  }

  @Test
  void leastSquaresAreTwoTreesWithThreeQuartersOfTheirMu() {
    AccountingEvent event = takePart(leastSquares(1, often()), 7);
    CentralSpend spend = event.getCentralSpend();
    assertThat(spend.getTrees()).isEqualTo(2);
    // A quarter of 4.5, and 1e-6 for the grid's rounding: two entries more than coordinates.
    assertThat(spend.getWeight()).isBetween(1.125, 1.125 * (1 + 1e-4));
    assertThat(spend.getZeta())
        .isBetween(31 * spend.getWeight(), Math.nextUp(31 * spend.getWeight()));
    assertThat(event.getSpent().getMu())
        .isBetween(0.75 * Math.sqrt(8 * 31), 0.75 * Math.sqrt(8 * 31) * (1 + 1e-4));
  }

  /** The account contains a charge from before the bound was tightened, and keeps it. */
  @Test
  void anEarlierLargerChargeForLeastSquaresStays() {
    AdmissionRules rules = leastSquares(1, often());
    MapAccount asBefore = new MapAccount();
    AccountingEvent now = judge(TestReports.example(0, 0), rules, new MapAccount());
    AccountingEvent.Builder before = now.toBuilder();
    before.getCentralSpendBuilder().setZeta(62).clearWeight();
    Totals reported = Totals.of(AccountingEvents.cost(before));
    before.setSpent(reported.toProto()).setUserTotals(reported.toProto());
    reported.participate(0);
    before.setModelTotals(reported.toProto());
    assertThat(reported.rho()).isEqualTo(124);
    assertThat(AccountRebuild.apply(before.build(), asBefore)).as("agrees").isTrue();

    AccountingEvent next = judge(TestReports.example(1, 9), rules, asBefore);
    double weight = next.getCentralSpend().getWeight();
    assertThat(weight).isLessThan(1.126);
    // Rounds 0 and 9 share 27 of 31 nodes: 3 each for the second time, 1 for the others.
    double grown = 27 * 3 + 4;
    assertThat(next.getCentralSpend().getZeta())
        .isBetween(weight * grown, Math.nextUp(weight * grown));
    assertThat(next.getModelTotals().getMu())
        .isCloseTo(Math.sqrt(4 * (62 + weight * grown)), within(1e-6));
  }

  @Test
  void theParameterFreeLearnerIsChargedAsItsTree() {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setLimits(often());
    spec.getDpFtrlParameterFreeBuilder()
        .setClipNorm(1)
        .setNoiseMultiplier(1)
        .setNoise(BudgetTest.TREE)
        .setRestartEvery(8);
    assertThat(takePart(BudgetTest.terms(spec), 7).getCentralSpend().getZeta()).isEqualTo(4);
  }

  @Test
  void limitsAreExactToOneUnit() {
    // zeta 1 has mu^2 4.
    assertOutcome(takePart(tree(1, 1, often().setMu(1.9999999999)), 0), REFUSED_BUDGET);
    AccountingEvent fits = takePart(tree(1, 1, often().setMu(2)), 0);
    assertAdmitted(fits);
    assertThat(fits.getLeftModel().getMu()).isZero();

    // The same limit over all models, of which a unit was spent elsewhere.
    ledger = new Ledger(Limits.newBuilder().setMu(2).build());
    MapAccount other = new MapAccount();
    judge(
        TestReports.to("n", TestReports.gaussian(0, 0.000001)),
        BudgetTest.local(Limits.newBuilder()),
        other);
    assertOutcome(judge(TestReports.central(1), tree(1, 1, often()), other), REFUSED_BUDGET)
        .isEqualTo(
            "limits.user.mu is 2.0, so the sum of mu^2 must be at most 4: 0.000000000001 was spent"
                + " before, and this report would add 4");
  }

  @Test
  void everyParticipationIsRoundedUpByItself() {
    AdmissionRules rules = tree(3, 1, often().setMu(2));
    for (int round = 0; round < 8; round++) {
      assertAdmitted(takePart(rules, round));
    }
    assertThat(account.userTotals().muSquaredPicos).isEqualTo(8 * 444_444_444_445L);
    assertOutcome(takePart(rules, 8), REFUSED_BUDGET);
  }

  @Test
  void aRefusedReportCostsNothingAndIsNoParticipation() {
    // zeta 2 and 4 have mu^2 8 and 16.
    AdmissionRules tight = tree(1, 2, often().setMu(3));
    AdmissionRules wide = tree(1, 2, often().setMu(5));
    assertAdmitted(takePart(tight, 0));
    AccountingEvent refused = takePart(tight, 1);
    assertOutcome(refused, REFUSED_BUDGET)
        .isEqualTo(
            "limits.mu is 3.0, so the sum of mu^2 must be at most 9: 8 was spent before, and this"
                + " report would add 16");
    assertThat(refused.hasCentralSpend()).isFalse();
    assertThat(refused.getSpent().getReports()).isZero();
    assertThat(refused.getModelTotals().getParticipations()).isEqualTo(1);
    AccountingEvent admitted = takePart(wide, 1);
    assertAdmitted(admitted);
    assertThat(admitted.getCentralSpend().getZeta()).isEqualTo(4);
    assertThat(account.userTotals().muSquaredPicos).isEqualTo(24_000_000_000_000L);
  }

  @Test
  void aPureLimitOfTheUserRefusesCentralModels() {
    ledger = new Ledger(Limits.newBuilder().setEpsilon(5).build());
    assertOutcome(takePart(tree(1, 8, often()), 0), REFUSED_DECLARATION)
        .isEqualTo(
            "declaration is central: limits.user.epsilon is a limit of pure epsilons, which the"
                + " noise of a central model doesn't have: the limit must get a delta, or be one of"
                + " mu");
    ledger = new Ledger(Limits.newBuilder().setEpsilon(50).setDelta(1e-6).build());
    assertAdmitted(takePart(tree(1, 8, often()), 0));
    // mu is 4 now, which has an epsilon of 26; the second would make it sqrt(56).
    assertOutcome(takePart(tree(1, 8, often()), 1), REFUSED_BUDGET);
  }

  @Test
  void anyOrderOfRoundsOfAnyModelsOfOneNameIsJudged() {
    Random random = new Random(SEED);
    long[] restarts = {NEVER, 1, 2, 5, 7, 8, 64, 1L << 30, (1L << 30) + 1, Long.MAX_VALUE};
    long[] rounds = {0, 1, 7, 8, 1L << 30, (1L << 31) + 3, Long.MAX_VALUE - 1, Long.MAX_VALUE};
    for (int run = 0; run < 300; run++) {
      MapAccount fresh = new MapAccount();
      long last = -1;
      for (int n = 0; n < 30; n++) {
        AdmissionRules rules = tree(1, restarts[random.nextInt(restarts.length)], often());
        ReportDraft report = TestReports.central(n);
        report.round =
            switch (random.nextInt(3)) {
              case 0 -> rounds[random.nextInt(rounds.length)];
              case 1 -> last < 0 ? 0 : last;
              default -> Math.max(last, 0) / 2 + random.nextInt(50);
            };
        AccountingEvent event = judge(report, rules, fresh);
        boolean admitted = event.getOutcome() == ADMITTED;
        if (admitted) {
          assertThat(report.round).isGreaterThan(last);
          assertThat(event.getCentralSpend().getZeta()).isGreaterThanOrEqualTo(1);
          last = report.round;
        } else {
          assertThat(event.getOutcome()).isIn(REFUSED_SEPARATION, REFUSED_PARTICIPATION);
        }
      }
    }
  }

  @Test
  void aLaterModelOfTheNameIsChargedForTreesOfItsOwn() {
    takePart(tree(1, 64, often()), 3);
    assertThat(takePart(tree(1, 8, often()), 4).getCentralSpend().getZeta()).isEqualTo(4);
    assertThat(takePart(tree(2, 64, often()), 5).getCentralSpend().getZeta()).isEqualTo(7);
    assertThat(account.userTotals().muSquaredPicos).isEqualTo(51_000_000_000_000L);
  }

  @Test
  void noisedReportsDoNotChangeTheChargesOfTrees() {
    takePart(tree(1, 8, often()), 0);
    account.accesses.clear();
    judge(TestReports.laplace(sequence++, 1), BudgetTest.local(Limits.newBuilder()));
    assertThat(account.accesses).containsExactlyInAnyOrder("window d", "model m", "user");
    takePart(tree(1, 8, often()), 1);
    assertThat(account.accesses).contains("zeta m");
  }

  @Test
  void anyNoiseMultiplierIsChargedWithoutOverflow() {
    assertThat(Cost.central(31, 1e-300, 0).muSquaredPicos()).isEqualTo(Long.MAX_VALUE);
    assertThat(Cost.central(31, 1e300, 0).muSquaredPicos()).isEqualTo(1);
    assertThat(Cost.central(1, 0.1, 0).muSquaredPicos()).isEqualTo(400_000_000_000_000L);
    assertThat(Cost.central(0, 1, 0).muSquaredPicos()).isZero();
  }

  @Test
  void theStateCoversTheLastTreeOnly() {
    AdmissionRules rules = tree(1, 8, often());
    for (long round = 0; round < 40; round++) {
      takePart(rules, round);
    }
    RunningZeta running = account.zetas.get("m");
    assertThat(running.counts).containsExactly(1, 2, 4, 8);
    assertThat(running.nextLeaf).isEqualTo(8);
    assertThat(running.zeta).isEqualTo(8 + 16 + 32 + 64);
  }
}
