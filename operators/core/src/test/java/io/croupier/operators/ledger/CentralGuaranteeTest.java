package io.croupier.operators.ledger;

import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The guarantee of a central model in its events. */
class CentralGuaranteeTest {
  private static final int SEED = 151;

  private static ModelSpec tree(
      double sigma, long restartEvery, boolean completion, Limits.Builder limits) {
    ModelSpec.Builder spec = BudgetTest.linear(sigma, BudgetTest.TREE, limits);
    if (restartEvery != Schedule.NEVER) {
      spec.getDpFtrlBuilder().setRestartEvery(restartEvery).setCompletion(completion);
    }
    return spec(spec);
  }

  private static ModelSpec blt(double sigma, int buffers, long horizon, Limits.Builder limits) {
    return spec(BudgetTest.linear(sigma, BltChargeTest.noise(buffers, horizon), limits));
  }

  private static ModelSpec spec(ModelSpec.Builder spec) {
    return spec.setModelId("m").setDimension(2).setGradientBound(1).build();
  }

  private static Guarantee zeroOut(ModelSpec spec, long rounds) {
    return CentralGuarantee.of(spec).event(rounds).getZeroOut();
  }

  /** [KMSTTX21, Table 4]: 1600 rounds, one participation each, epsilon 18.71 at 1e-6. */
  @Test
  void usageExample() {
    ModelSpec spec = tree(1.13, Schedule.NEVER, false, BudgetTest.participations(1, 0));
    GuaranteeEvent event = CentralGuarantee.of(spec).event(1600);
    assertThat(event.getModelId()).isEqualTo("m");
    assertThat(event.getRound()).isEqualTo(1600);
    assertThat(event.getMechanism()).isEqualTo("tree");
    assertThat(event.getNoiseMultiplier()).isEqualTo(1.13);
    assertThat(event.getDelta()).isEqualTo(1e-6);
    assertThat(event.getZeroOut().getZeta()).isEqualTo(11);
    assertThat(event.getZeroOut().getMu()).isCloseTo(Math.sqrt(11) / 1.13, within(1e-15));
    // 17.6668 for continuous noise; the distance of discrete noise costs 15% of delta.
    assertThat(event.getZeroOut().getEpsilon()).isBetween(17.6668, 17.8);
    assertThat(event.getZeroOut().getEpsilonRenyi()).isCloseTo(18.7080, within(5e-5));
    assertThat(event.getReplaceOne().getZeta()).isEqualTo(44);
    assertThat(event.getReplaceOne().getMu()).isCloseTo(2 * Math.sqrt(11) / 1.13, within(1e-14));
    assertThat(event.getReplaceOne().getEpsilon()).isGreaterThan(2 * 17.6);
  }

  /**
   * Epochs of a fixed order with one participation in each, against a reference: a bound above 64
   * participations, exact below.
   */
  @ParameterizedTest
  @CsvSource({
    "25, 1, 4, 4, 1e-6, false, 20, 5.550859868235813, 5.9268180155404515",
    "25, 1, 4, 4, 1e-6, true, 23, 6.015346801727738, 6.419579717412795",
    "100, 1, 100, 7, 1e-5, false, 700, 22.59597020819635, 24.04148420656349",
    "100, 5, 100, 8.5, 1e-5, false, 1000, 22.123723585934812, 23.54451988469581",
    "100, 5, 100, 8.5, 1e-5, true, 1570, 30.038475962793495, 31.85668871509943",
    "100, 20, 100, 12, 1e-5, false, 2125, 23.092042403830188, 24.56337154337933"
  })
  void restartsAreThoseOfTheReference(
      int epochSteps,
      int epochsPerTree,
      int epochs,
      double sigma,
      double delta,
      boolean completion,
      double zeta,
      double epsilon,
      double epsilonRenyi) {
    Limits.Builder limits = BudgetTest.participations(epochs, epochSteps - 1).setDelta(delta);
    long rounds = (long) epochs * epochSteps;
    ModelSpec spec = tree(sigma, (long) epochSteps * epochsPerTree, completion, limits);
    Guarantee guarantee = zeroOut(spec, rounds);
    double most = epochs <= Schedule.MAX_QUICK_PARTICIPATIONS ? 1 : 1.2;
    assertThat(guarantee.getZeta()).isBetween(zeta, zeta * most);
    double loose = most == 1 ? 1 + 1e-9 : 1.1;
    // The reference has no grid, which makes a difference at large epsilons.
    double ofGrid = epsilon < 10 ? epsilon * (1 + 1e-6) : epsilonRenyi;
    assertThat(guarantee.getEpsilon()).isBetween(epsilon * (1 - 1e-9), ofGrid * loose);
    assertThat(guarantee.getEpsilon()).isLessThanOrEqualTo(guarantee.getEpsilonRenyi());
    assertThat(guarantee.getEpsilonRenyi())
        .isBetween(epsilonRenyi * (1 - 1e-9), epsilonRenyi * loose);
  }

  /** By hand: the user takes part in two of three rounds; trees of two leaves. */
  @Test
  void treesGrow() {
    ModelSpec spec = tree(2, Schedule.NEVER, false, BudgetTest.participations(2, 1));
    // 1; 1, 1 and the node above both; rounds 0 and 2: 2 + 1; 2 + 2 and the root's 4.
    double[] zetas = {0, 1, 2, 3, 8, 8};
    for (int rounds = 0; rounds < zetas.length; rounds++) {
      assertThat(zeroOut(spec, rounds).getZeta()).as("%s rounds", rounds).isEqualTo(zetas[rounds]);
      assertThat(zeroOut(spec, rounds).getMu())
          .isCloseTo(Math.sqrt(zetas[rounds]) / 2, within(1e-15));
    }
  }

  @Test
  void leastSquaresHaveTwiceTheZetaUnderZeroOutAndFourAndAHalfTimesUnderReplaceOne() {
    Limits.Builder limits = BudgetTest.participations(2, 19);
    ModelSpec trees = spec(BudgetTest.leastSquares(3, BudgetTest.TREE, limits));
    // 50 rounds have complete nodes of up to 32; rounds 0 and 20 share that one: 5 + 5 + 4.
    assertThat(zeroOut(trees, 50).getZeta()).isEqualTo(2 * 14);
    assertThat(zeroOut(trees, 50).getMu()).isCloseTo(Math.sqrt(28) / 3, within(1e-15));
    Guarantee replaced = CentralGuarantee.of(trees).event(50).getReplaceOne();
    assertThat(replaced.getZeta()).isBetween(4.5 * 14, 4.5 * 14 * (1 + 1e-4));
    assertThat(replaced.getMu()).isCloseTo(Math.sqrt(replaced.getZeta()) / 3, within(1e-12));
    ModelSpec blt = spec(BudgetTest.leastSquares(3, BltChargeTest.noise(2, 50), limits));
    double once =
        BltChargeTest.squaredNorm(
            BltNoise.optimal(2, 50, ParticipationLimits.ONCE).parameters(), 50, List.of(0, 20));
    assertThat(zeroOut(blt, 50).getZeta()).isCloseTo(2 * once, withinPercentage(1e-8));
    assertThat(CentralGuarantee.of(blt).event(50).getReplaceOne().getZeta())
        .isBetween(4.5 * once, 4.5 * once * (1 + 1e-4));
  }

  @Test
  void toeplitzNoiseIsThatOfTheHorizon() {
    CentralGuarantee guarantee =
        CentralGuarantee.of(blt(4, 3, 1024, BudgetTest.participations(8, 127)));
    GuaranteeEvent event = guarantee.event(1);
    assertThat(event.getMechanism()).isEqualTo("blt");
    List<Integer> rounds = IntStream.range(0, 8).mapToObj(i -> 128 * i).toList();
    double zeta =
        BltChargeTest.squaredNorm(
            BltNoise.optimal(3, 1024, ParticipationLimits.ONCE).parameters(), 1024, rounds);
    assertThat(event.getZeroOut().getZeta()).isCloseTo(zeta, withinPercentage(1e-8));
    assertThat(event.getReplaceOne().getMu())
        .isCloseTo(2 * Math.sqrt(zeta) / 4, withinPercentage(1e-8));
    assertThat(guarantee.event(1024).getZeroOut()).isEqualTo(event.getZeroOut());
    assertThat(guarantee.event(0).getZeroOut().getEpsilon()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> guarantee.event(1025))
        .withMessage("rounds is 1025; it must be between 0 and 1024");
  }

  /** Whatever a user does within the limits, the releases satisfy the guarantee. */
  @Tag("ci")
  @Test
  void usersWithinTheLimitsHaveAtMostTheGuaranteedSensitivity() {
    Random random = new Random(SEED);
    for (int run = 0; run < 200; run++) {
      int most = 1 + random.nextInt(100);
      int separation = random.nextInt(5);
      long restartEvery = random.nextInt(3) == 0 ? Schedule.NEVER : random.nextInt(1, 40);
      boolean completion = restartEvery != Schedule.NEVER && random.nextBoolean();
      CentralGuarantee guarantee =
          CentralGuarantee.of(
              tree(1, restartEvery, completion, BudgetTest.participations(most, separation)));
      GivenOrder order =
          new GivenOrder(restartEvery, completion ? Completion.BEFORE_RESTART : Completion.NONE);
      int next = 0;
      int taken = 0;
      double before = 0;
      for (int round = 0; round < 120; round++) {
        boolean takesPart = round >= next && taken < most && random.nextInt(3) > 0;
        order.step(takesPart ? new long[] {1} : new long[] {});
        if (takesPart) {
          taken++;
          next = round + separation + 1;
        }
        double zeta = guarantee.event(round + 1).getZeroOut().getZeta();
        assertThat(zeta)
            .as("seed %s, run %s, round %s", SEED, run, round)
            .isGreaterThanOrEqualTo((double) order.zetas().of(1))
            .isGreaterThanOrEqualTo(before);
        before = zeta;
      }
    }
  }

  /**
   * Charges don't exceed the guarantee either: for trees once they are complete, since nodes are
   * charged earlier, and at any time for whole charges.
   */
  @Test
  void usersWithinTheLimitsAreChargedAtMostTheGuarantee() {
    Random random = new Random(SEED);
    for (int run = 0; run < 60; run++) {
      Limits.Builder limits = BudgetTest.participations(1 + random.nextInt(12), random.nextInt(5));
      long leaves = 1L << random.nextInt(5);
      ModelSpec spec =
          run % 2 == 0
              ? tree(0.7, leaves, false, limits)
              : blt(0.7, 1 + random.nextInt(2), 64, limits);
      AdmissionRules rules = TestReports.rules(spec, true, true);
      MapAccount account = new MapAccount();
      int admitted = 0;
      for (int n = 0; n < 64; n++) {
        if (random.nextInt(3) > 0
            && new Ledger().judge(TestReports.central(n, n).build(), rules, account).getOutcome()
                == ADMITTED) {
          admitted++;
        }
      }
      Guarantee guarantee = CentralGuarantee.of(spec).event(64).getZeroOut();
      double mu = 2 * guarantee.getMu();
      assertThat(account.userTotals().muSquaredPicos)
          .as("seed %s, run %s", SEED, run)
          .isLessThanOrEqualTo((long) Math.ceil(mu * mu * 1e12) + admitted);
    }
  }

  /** A user who takes part as often as possible, from the first round on, is charged all of it. */
  @Test
  void aUserWithTheMostParticipationsIsChargedTheWholeGuarantee() {
    ModelSpec spec = tree(1, 64, false, BudgetTest.participations(64, 0));
    AdmissionRules rules = TestReports.rules(spec, true, true);
    MapAccount account = new MapAccount();
    for (int n = 0; n < 64; n++) {
      ReportDraft report = TestReports.central(n, n);
      report.form = VectorForm.DENSE;
      new Ledger().judge(report.build(), rules, account);
    }
    double zeta = zeroOut(spec, 64).getZeta();
    assertThat(zeta).isEqualTo(64 * (1 + 2 + 4 + 8 + 16 + 32 + 64));
    assertThat(account.userTotals().muSquaredPicos).isEqualTo((long) (4e12 * zeta));
  }

  @Test
  void theGuaranteeOfManyParticipationsIsComputedQuickly() {
    CentralGuarantee guarantee =
        CentralGuarantee.of(tree(50, 1 << 20, true, BudgetTest.participations(100_000, 3)));
    double before = 0;
    for (long rounds = 1; rounds <= Schedule.MAX_STEPS; rounds = 3 * rounds + 1) {
      Guarantee zeroOut = guarantee.event(rounds).getZeroOut();
      assertThat(zeroOut.getMu()).isGreaterThanOrEqualTo(before).isFinite();
      assertThat(zeroOut.getEpsilon()).isFinite();
      before = zeroOut.getMu();
    }
    assertThat(guarantee.event(Schedule.MAX_STEPS).getZeroOut().getMu())
        .isGreaterThanOrEqualTo(before);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> guarantee.event(Schedule.MAX_STEPS + 1))
        .withMessageContaining("rounds is 1073741825");
  }

  @Test
  void anyNoiseHasFiniteNumbers() {
    for (double sigma : new double[] {0x1p-48, 1e-9, 1e3, 0x1p12}) {
      Guarantee guarantee =
          CentralGuarantee.of(tree(sigma, 8, false, BudgetTest.participations(9, 0)))
              .event(30)
              .getReplaceOne();
      assertThat(guarantee.getMu()).isPositive();
      assertThat(guarantee.getEpsilon()).isNotNaN().isNotNegative();
      assertThat(guarantee.getEpsilonRenyi()).isGreaterThanOrEqualTo(guarantee.getEpsilon());
    }
  }

  @Test
  void localModelsHaveNoGuarantee() {
    ModelSpec local = spec(ModelSpec.newBuilder().setBlackBox(BlackBox.getDefaultInstance()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CentralGuarantee.of(local))
        .withMessageContaining("learner of m is BLACK_BOX");
  }
}
