package io.croupier.operators.model;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.operators.model.TestIntake.admitted;
import static io.croupier.operators.model.TestIntake.judge;
import static io.croupier.operators.model.TestIntake.report;
import static io.croupier.operators.model.TestIntake.sum;
import static io.croupier.operators.model.TestSums.values;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.ChoiceLoss;
import io.croupier.accounting.PureCosts;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of priv_unit from their bytes to the learner. */
class PrivUnitIntakeTest {
  private static final String BLACK_BOX = "black_box {}";

  /** The best top of 256 for epsilon 1 in 20 dimensions. */
  private static final String MECHANISM = "epsilon: 1 candidates: 256 top: 90";

  private static String candidate(int d, long seed, int index, String mechanism) {
    return "candidate { dimension: %d seed: %s index: %d } priv_unit { %s }"
        .formatted(d, Long.toUnsignedString(seed), index, mechanism);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 254, 255})
  void theLearnerGetsTheCandidateTimesTheScale(int index) {
    ModelSpec spec = Specs.of(20, 0.5, BLACK_BOX);
    RoundSum sum = admitted(candidate(20, -5, index, MECHANISM), spec);
    assertThat(sum.form).isEqualTo(VectorForm.GRID_SUM);
    assertThat(sum.count).isEqualTo(1);
    double[] expected = new double[20];
    PrivUnitLaw law = new PrivUnitLaws().of(20, 1, 256, 90);
    CandidateVectors.expand(-5, index, 0.5 * law.scale(), expected);
    assertThat(sum.exponent).as("far finer than the noise").isLessThan(-22);
    assertThat(values(sum)).containsExactly(expected, within(Math.scalb(0.5, sum.exponent)));
    assertThat(Math.abs(values(sum)[0])).isPositive();
  }

  /** The models of a subtask share the array of the last vector. */
  @Test
  void modelsOfOtherDimensionsChangeNothing() {
    PrivUnitLaws laws = new PrivUnitLaws();
    CandidateExpansion expansion = new CandidateExpansion();
    RoundSum[] sums = new RoundSum[3];
    int[] dimensions = {20, 3, 20};
    for (int i = 0; i < sums.length; i++) {
      ModelSpec spec = Specs.of(dimensions[i], 0.5, BLACK_BOX);
      sums[i] =
          new ReportIntake(spec, 0, laws, new BltSearches(), expansion)
              .withoutUser(report(candidate(dimensions[i], i, 7, MECHANISM)));
    }
    for (int i = 0; i < sums.length; i++) {
      RoundSum alone =
          sum(candidate(dimensions[i], i, 7, MECHANISM), Specs.of(dimensions[i], 0.5, BLACK_BOX));
      assertThat(sums[i].values).as("report %s", i).isEqualTo(alone.values);
    }
  }

  /** Its length is that of the declared noise, which its weight accounts for. */
  @Test
  void itIsWeighedAndNotTrimmed() {
    PrivUnitLaw law = new PrivUnitLaws().of(20, 1, 256, 90);
    RoundSum sum = sum(candidate(20, -5, 7, MECHANISM), Specs.of(20, 0.5, BLACK_BOX));
    double norm = Math.sqrt(Vectors.squaredNorm(values(sum)));
    assertThat(norm).isGreaterThan(2 * 0.5);
    assertThat(sum.weightExponent)
        .isEqualTo(Math.round(Math.log(law.scale() * law.scale()) / Math.log(2)));
  }

  /** The pure epsilon is l2-laplace's; mu and rho are those of its own loss, and less. */
  @ParameterizedTest
  @ValueSource(doubles = {0.9, 1, 1.1, 1.333333333})
  void itCostsItsOwnLoss(double epsilon) {
    ModelSpec spec =
        Specs.of(2, 1, "limits { epsilon: 10 mu: 9 delta: 1e-6 reports: 5 } " + BLACK_BOX);
    String mechanism = "epsilon: %s candidates: 64 top: 24".formatted(epsilon);
    AccountingEvent event = judge(candidate(2, 1, 3, mechanism), spec);
    AccountingEvent laplace =
        judge("grid { values: [1, 2] } l2_laplace { epsilon: %s }".formatted(epsilon), spec);
    assertAdmitted(event);
    PureLoss loss = new ChoiceLoss(epsilon, 40.0 / 24);
    assertThat(event.getSpent())
        .isEqualTo(
            laplace.getSpent().toBuilder()
                .setRho(DecimalUnits.toDouble(PureCosts.rhoPicos(loss), 12))
                .setMuOfAll(DecimalUnits.rootUp(PureCosts.muSquaredPicos(loss)))
                .build());
    assertThat(event.getSpent().getEpsilon()).isEqualTo(epsilon);
    PureLoss response = PureLoss.ofEpsilon(epsilon);
    assertThat(event.getSpent().getRho()).isLessThan(response.rho());
    assertThat(event.getSpent().getMuOfAll()).isLessThan(response.mu());
    assertThat(event.getUserTotals().getMuOfAll()).isEqualTo(event.getSpent().getMuOfAll());
    assertThat(event.getUserTotals().getEpsilonAtDelta()).isLessThanOrEqualTo(epsilon);
    assertThat(event.getModelTotals().getRho()).isEqualTo(event.getSpent().getRho());
    assertThat(event.getLeftModel().getEpsilon()).isEqualTo(laplace.getLeftModel().getEpsilon());
    assertThat(event.getLeftModel().getMu())
        .isCloseTo(Math.sqrt(81 - loss.mu() * loss.mu()), within(1e-6));
    assertThat(event.getPrivUnit().getEpsilon()).isEqualTo(epsilon);
    assertThat(event.getPrivUnit().getCandidates()).isEqualTo(64);
    assertThat(event.getPrivUnit().getTop()).isEqualTo(24);
  }

  @Test
  void whatIsFarFromTheOptimumIsRefusedAndSpent() {
    AccountingEvent event =
        judge(candidate(20, 1, 3, "epsilon: 1 candidates: 256 top: 1"), Specs.of(20, 1, BLACK_BOX));
    assertOutcome(event, REFUSED_DECLARATION).contains("longer than 1.3 times the least length");
    assertThat(event.getSpent().getEpsilon()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "black_box {} | 21 | REFUSED_DIMENSION",
        "report_bound: 11.4 black_box {} | 20 | REFUSED_IMPLAUSIBLE",
        "report_bound: 11.5 black_box {} | 20 | ADMITTED",
        "limits { epsilon: 0.9 } black_box {} | 20 | REFUSED_BUDGET",
        "banco { strongest_noise { priv_unit { " + MECHANISM + " } } } | 20 | ADMITTED",
        "banco { strongest_noise { l2_laplace { epsilon: 1 } } } | 20 | ADMITTED",
        "banco { strongest_noise { l2_laplace { epsilon: 5 } } } | 20 | REFUSED_DECLARATION",
        "banco { strongest_noise { sub_exponential { variance: 1 beta_max: 1 } } } | 20 | ADMITTED",
        "banco { strongest_noise { priv_unit { epsilon: 1.1 candidates: 256 top: 90 } } }"
            + " | 20 | REFUSED_DECLARATION",
        "limits { delta: 1e-6 max_participations: 2 min_separation: 0 } dp_ftrl { clip_norm: 1"
            + " noise_multiplier: 1 learning_rate: 1 noise { tree {} } } | 20 | REFUSED_DECLARATION",
      })
  void modelsJudgeIt(String model, int d, Outcome outcome) {
    AccountingEvent event = judge(candidate(d, 1, 3, MECHANISM), Specs.of(20, 1, model));
    assertThat(event.getOutcome()).as(event.getReason()).isEqualTo(outcome);
  }

  /** Vectors whose squared length overflows would make a model infinite permanently. */
  @ParameterizedTest
  @CsvSource({
    "1, 1e-150, ADMITTED",
    "1, 1e-160, REFUSED_IMPLAUSIBLE",
    "1, 4.9e-324, REFUSED_IMPLAUSIBLE",
    "1e100, 1e-50, ADMITTED",
    "1e100, 1e-60, REFUSED_IMPLAUSIBLE"
  })
  void whatOverflowsIsRefusedAndSpent(double g, double epsilon, Outcome outcome) {
    String mechanism = "epsilon: %s candidates: 256 top: 100".formatted(epsilon);
    AccountingEvent event = judge(candidate(20, 1, 3, mechanism), Specs.of(20, g, BLACK_BOX));
    assertThat(event.getOutcome()).as(event.getReason()).isEqualTo(outcome);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(1e-9);
  }

  /** A sound variance for BANCO, in the model's units. */
  @Test
  void bancoIsGivenTheBettingVariance() {
    double g = 0.5;
    ModelSpec spec =
        Specs.of(20, g, "banco { strongest_noise { priv_unit { " + MECHANISM + " } } }");
    RoundSum sum = sum(candidate(20, 1, 3, MECHANISM), spec);
    PrivUnitLaw law = new PrivUnitLaws().of(20, 1, 256, 90);
    assertThat(sum.directionalVariance)
        .isGreaterThanOrEqualTo(law.bettingVariance(0.6838 / g * g) * g * g)
        .isLessThan(law.bettingVariance(0.6838 / g * g) * g * g * (1 + 0x1p-17))
        .isGreaterThan(6.94974874 * g * g)
        .isLessThan(1.2 * 6.94974874 * g * g);
  }

  @Test
  void bundlesAddThemUp() {
    ModelSpec spec = Specs.of(20, 1, BLACK_BOX);
    RoundSum one = sum(candidate(20, 1, 3, MECHANISM), spec);
    RoundSum other = sum(candidate(20, 2, 200, MECHANISM), spec);
    Bundle bundle = new Bundle(one);
    bundle.add(other);
    RoundSum sum = bundle.seal();
    double[] expected = values(one);
    Vectors.add(values(other), expected);
    assertThat(values(sum)).containsExactly(expected);
    assertThat(sum.count).isEqualTo(2);
  }

  /**
   * Every valid pair of candidates and top, twice, and no two reports with the same declaration:
   * the worst that a sender can do to the caches, to a model of the learner that needs most.
   */
  @Test
  void aFloodOfDeclarationsIsJudged() {
    ModelSpec spec = Specs.of(20, 1, "banco { strongest_noise { l2_laplace { epsilon: 0.1 } } }");
    ReportIntake intake = new ReportIntake(spec, 0);
    Ledger ledger = new Ledger();
    int judged = 0;
    int admitted = 0;
    for (int round = 0; round < 2; round++) {
      for (int candidates : new int[] {64, 256, 1024, 4096}) {
        for (int top = 1; top <= candidates / 2; top++) {
          Report report =
              report(
                  candidate(
                      20,
                      judged,
                      3,
                      "epsilon: %s candidates: %d top: %d"
                          .formatted(0.3 + judged * 1e-4, candidates, top)));
          AccountingEvent event = ledger.judge(report, intake.terms(), new MapAccount());
          judged++;
          admitted += event.getOutcome() == ADMITTED ? 1 : 0;
        }
      }
    }
    assertThat(judged).isEqualTo(2 * 2720);
    assertThat(admitted).isBetween(10, judged - 10);
  }

  /** A stranger may declare any level: every one is judged, and what is kept stays bounded. */
  @Test
  void manyLevelsAreJudged() {
    ModelSpec spec =
        Specs.of(20, 1, "banco { strongest_noise { priv_unit { " + MECHANISM + " } } }");
    ReportIntake intake = new ReportIntake(spec, 0);
    Ledger ledger = new Ledger();
    int admitted = 0;
    for (int i = 1; i <= 500; i++) {
      Report report =
          report(
              candidate(
                  20,
                  i,
                  3,
                  "epsilon: %s candidates: 256 top: %d".formatted(i / 100.0, 1 + i % 128)));
      AccountingEvent event = ledger.judge(report, intake.terms(), new MapAccount());
      assertThat(event.getSpent().getEpsilon()).isEqualTo(i / 100.0);
      admitted += event.getOutcome() == ADMITTED ? 1 : 0;
    }
    assertThat(admitted).isBetween(10, 490);
  }
}
