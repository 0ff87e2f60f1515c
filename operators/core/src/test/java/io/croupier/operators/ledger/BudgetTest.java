package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DIMENSION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEPARATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.Question;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits: which reports they admit and refuse, and what is left. */
class BudgetTest extends LedgerFixture {
  static final PrefixSumNoise TREE =
      PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()).build();

  private static final int SEED = 71;

  static AdmissionRules local(Limits.Builder limits) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setBlackBox(BlackBox.getDefaultInstance());
    return terms(spec.setLimits(limits));
  }

  /** One tree that never restarts, with noise multiplier 2. */
  static AdmissionRules central(int maxParticipations, long minSeparation) {
    return CentralChargeTest.tree(
        2, Schedule.NEVER, participations(maxParticipations, minSeparation));
  }

  /** A central model, for gradients of norm 1. */
  static ModelSpec.Builder linear(
      double noiseMultiplier, PrefixSumNoise noise, Limits.Builder limits) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setLimits(limits);
    spec.getDpFtrlBuilder().setClipNorm(1).setNoiseMultiplier(noiseMultiplier).setNoise(noise);
    return spec;
  }

  /** A central model of least squares, for examples of norm and response 1. */
  static ModelSpec.Builder leastSquares(
      double noiseMultiplier, PrefixSumNoise noise, Limits.Builder limits) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setLimits(limits);
    spec.getDpFtrlLeastSquaresBuilder()
        .setXNorm(1)
        .setYBound(1)
        .setNoiseMultiplier(noiseMultiplier)
        .setNoise(noise);
    return spec;
  }

  static Limits.Builder participations(int most, long minSeparation) {
    return Limits.newBuilder()
        .setDelta(1e-6)
        .setMaxParticipations(most)
        .setMinSeparation(minSeparation);
  }

  static AdmissionRules terms(ModelSpec.Builder spec) {
    return TestReports.rules(
        spec.setModelId("m")
            .setDimension(2)
            .setGradientBound(1)
            .addQuestions(Question.newBuilder().setName("q"))
            .build(),
        true,
        true);
  }

  @Test
  void tenTimesATenthFitsInOneAndAnEleventhDoesNot() {
    AdmissionRules rules = local(Limits.newBuilder().setEpsilon(1));
    for (int n = 1; n <= 10; n++) {
      AccountingEvent event = laplace(rules, 0.1);
      assertAdmitted(event);
      assertThat(event.getLeftModel().getEpsilon()).isEqualTo((10 - n) / 10.0);
    }
    AccountingEvent eleventh = laplace(rules, 0.1);
    assertOutcome(eleventh, REFUSED_BUDGET)
        .isEqualTo("limits.epsilon is 1.0: 1 was spent before, and this report would add 0.1");
    assertThat(eleventh.getModelTotals().getEpsilon()).isEqualTo(1.1);
    assertThat(eleventh.getSpent().getEpsilon()).isEqualTo(0.1);
    assertThat(eleventh.getLeftModel().getEpsilon()).isZero();
    assertThat(laplace(rules, 1e-9).getReason())
        .isEqualTo(
            "limits.epsilon is 1.0: 1.1 was spent before, and this report would add 0.000000001");
  }

  @Test
  void sixAndEightTenthsOfMuFitInOne() {
    AdmissionRules rules = local(Limits.newBuilder().setMu(1));
    AccountingEvent first = gaussian(rules, 0.6);
    assertThat(first.getLeftModel().getMu()).isEqualTo(0.8);
    AccountingEvent second = gaussian(rules, 0.8);
    assertAdmitted(second);
    assertThat(second.getModelTotals().getMuOfAll()).isEqualTo(1);
    assertThat(second.getLeftModel().getMu()).isZero();
    assertOutcome(gaussian(rules, 0.000001), REFUSED_BUDGET)
        .isEqualTo(
            "limits.mu is 1.0, so the sum of mu^2 must be at most 1: 1 was spent before, and this"
                + " report would add 0.000000000001");
  }

  @Test
  void aPureReportEntersALimitOfMuByItsOwnMu() {
    AdmissionRules rules = local(Limits.newBuilder().setMu(2));
    AccountingEvent laplace = laplace(rules, 1);
    // 2 dimensions: 0.759743...
    assertThat(laplace.getModelTotals().getMuOfAll()).isBetween(0.75974, 0.75975);
    MapAccount other = new MapAccount();
    AccountingEvent pure = judge(TestReports.answer(sequence++, 1), rules, other);
    // 2 Phi^-1(e / (1 + e)) = 1.23203...
    assertThat(pure.getModelTotals().getMuOfAll()).isBetween(1.23203, 1.23204);
    assertThat(pure.getModelTotals().getMu()).isZero();
    assertThat(pure.getLeftModel().getMu()).isBetween(1.57546, 1.57547);
    double left = pure.getLeftModel().getMu();
    assertAdmitted(judge(TestReports.gaussian(sequence++, left), rules, other));
    assertOutcome(judge(TestReports.gaussian(sequence++, 0.01), rules, other), REFUSED_BUDGET);
  }

  @Test
  void gaussianNoiseHasNoPureEpsilon() {
    AccountingEvent event = gaussian(local(Limits.newBuilder().setEpsilon(5)), 0.1);
    assertOutcome(event, REFUSED_DECLARATION)
        .startsWith("declaration is gaussian with 0.1: limits.epsilon is a limit of pure")
        .contains("unless the limit gets a delta");
    assertThat(event.getModelTotals().getMu()).isEqualTo(0.1);
  }

  @Test
  void refusedReportsThatHaveLeftTheDeviceCount() {
    AdmissionRules rules = local(Limits.newBuilder().setReports(3));
    laplace(rules, 0.1);
    ReportDraft wrong = TestReports.laplace(sequence++, 0.1);
    wrong.dimension = 3;
    assertOutcome(judge(wrong, rules), REFUSED_DIMENSION);
    ReportDraft last = TestReports.undisclosed(sequence++);
    assertThat(judge(last, rules).getLeftModel().getReports()).isZero();
    assertOutcome(judge(last, rules), DUPLICATE);
    assertOutcome(laplace(rules, 0.1), REFUSED_BUDGET)
        .isEqualTo("limits.reports is 3: 3 was spent before, and this report would add 1");
  }

  @Test
  void aUserHasLimitsOverAllModels() {
    ledger = new Ledger(Limits.newBuilder().setEpsilon(1).setReports(9).build());
    AdmissionRules free = local(Limits.newBuilder());
    assertThat(laplace(free, 0.75).getLeftUser().getEpsilon()).isEqualTo(0.25);
    AccountingEvent refused =
        judge(TestReports.to("n", TestReports.laplace(sequence++, 0.5)), free);
    assertOutcome(refused, REFUSED_BUDGET)
        .isEqualTo(
            "limits.user.epsilon is 1.0: 0.75 was spent before, and this report would add 0.5");
    assertThat(refused.getLeftUser().getReports()).isEqualTo(7);
    assertThat(refused.hasLeftModel()).isFalse();
    assertOutcome(judge(TestReports.undisclosed(sequence++), free), REFUSED_DECLARATION)
        .contains("limits.user.epsilon is a limit, so the noise must be disclosed");
    AccountingEvent unknown =
        ledger.judgeUnknownModel(TestReports.laplace(sequence++, 0.1).build(), account);
    assertThat(unknown.getLeftUser().getEpsilon()).isZero();
    assertThat(unknown.getUserTotals().getEpsilon()).isEqualTo(1.35);
  }

  @Test
  void theModelsLimitIsNamedBeforeTheUsers() {
    ledger = new Ledger(Limits.newBuilder().setEpsilon(0.1).build());
    AdmissionRules rules = local(Limits.newBuilder().setEpsilon(0.1));
    assertThat(laplace(rules, 0.5).getReason()).startsWith("limits.epsilon is 0.1:");
  }

  @Test
  void aLoweredLimitHoldsFromThenOn() {
    laplace(local(Limits.newBuilder().setEpsilon(2)), 1.5);
    assertOutcome(laplace(local(Limits.newBuilder().setEpsilon(1)), 0.1), REFUSED_BUDGET);
    assertAdmitted(laplace(local(Limits.newBuilder().setEpsilon(2)), 0.4));
  }

  @Test
  void participationsAreCountedAndSeparated() {
    AdmissionRules rules = central(2, 3);
    AccountingEvent first = takePart(rules, 0);
    assertAdmitted(first);
    assertThat(first.getLeftModel().getParticipations()).isEqualTo(1);
    assertThat(first.getModelTotals().getParticipations()).isEqualTo(1);
    assertThat(first.getModelTotals().hasLastRound()).isTrue();
    for (long tooSoon = 0; tooSoon < 4; tooSoon++) {
      AccountingEvent event = takePart(rules, tooSoon);
      assertOutcome(event, REFUSED_SEPARATION)
          .isEqualTo(
              "round is %d: it must be at least 4, since the user took part in round 0 and"
                      .formatted(tooSoon)
                  + " limits.min_separation is 3");
      assertThat(event.getModelTotals().getReports()).isEqualTo(1);
    }
    AccountingEvent second = takePart(rules, 4);
    assertAdmitted(second);
    assertThat(second.getModelTotals().getLastRound()).isEqualTo(4);
    assertThat(second.getUserTotals().hasParticipations()).isFalse();
    AccountingEvent third = takePart(rules, 100);
    assertOutcome(third, REFUSED_PARTICIPATION)
        .isEqualTo("limits.max_participations is 2, and the user has taken part 2 times");
    assertThat(third.getLeftModel().getParticipations()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE})
  void neverTwiceInOneRound(long minSeparation) {
    AdmissionRules rules = CentralChargeTest.tree(2, 100, participations(9, minSeparation));
    assertAdmitted(takePart(rules, Long.MAX_VALUE));
    for (long round : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, 0}) {
      assertOutcome(takePart(rules, round), REFUSED_SEPARATION);
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void noSequenceOfDeclaredLevelsExceedsALimitByAUnit(boolean gaussian) {
    Random random = new Random(SEED);
    for (int run = 0; run < 40; run++) {
      MapAccount fresh = new MapAccount();
      BigDecimal limit = BigDecimal.valueOf(1 + random.nextInt(5000), 3);
      Limits.Builder limits = Limits.newBuilder();
      if (gaussian) {
        limits.setMu(limit.doubleValue());
      } else {
        limits.setEpsilon(limit.doubleValue());
      }
      AdmissionRules rules = local(limits);
      int decimals = gaussian ? 12 : 9;
      BigDecimal most = gaussian ? limit.multiply(limit) : limit;
      BigDecimal spent = BigDecimal.ZERO;
      for (int n = 0; n < 60; n++) {
        BigDecimal level = BigDecimal.valueOf(1 + random.nextInt(400_000_000), 9);
        if (n % 10 == 9 && !gaussian && spent.compareTo(most) < 0) {
          level = most.subtract(spent); // just fits
        }
        ReportDraft report =
            gaussian
                ? TestReports.gaussian(n, level.doubleValue())
                : TestReports.laplace(n, level.doubleValue());
        AccountingEvent event = judge(report, rules, fresh);
        BigDecimal cost =
            (gaussian ? level.multiply(level) : level).setScale(decimals, RoundingMode.CEILING);
        boolean fits = spent.add(cost).compareTo(most) <= 0;
        assertThat(event.getOutcome())
            .as("seed %s, run %s, %s after %s of %s", SEED, run, level, spent, most)
            .isEqualTo(fits ? ADMITTED : REFUSED_BUDGET);
        spent = spent.add(cost);
        if (gaussian) {
          BigDecimal left = BigDecimal.valueOf(event.getLeftModel().getMu());
          assertThat(left.multiply(left))
              .isLessThanOrEqualTo(most.subtract(spent).max(BigDecimal.ZERO));
        } else {
          assertThat(BigDecimal.valueOf(event.getLeftModel().getEpsilon()))
              .isEqualByComparingTo(most.subtract(spent).max(BigDecimal.ZERO));
        }
      }
    }
  }

  @Test
  void aSaturatedSumExceedsEveryLimit() {
    AdmissionRules rules = local(Limits.newBuilder().setEpsilon(1e300).setMu(1e200));
    AccountingEvent event = laplace(rules, 1e10);
    assertOutcome(event, REFUSED_BUDGET)
        .endsWith("0 was spent before, and this report would add at least 9223372036.854775807");
    assertOutcome(laplace(rules, 0.1), REFUSED_BUDGET);
    assertThat(event.getLeftModel().getEpsilon()).isZero();
  }
}
