package io.croupier.operators.model;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.operators.model.TestIntake.admitted;
import static io.croupier.operators.model.TestIntake.decode;
import static io.croupier.operators.model.TestIntake.judge;
import static io.croupier.operators.model.TestSums.values;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_IMPLAUSIBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports to a model whose clip moves, from their bytes to the learner. */
class ClipIntakeTest {
  private static final String MOVING = "adaptive_clip { initial: 2 size: GRADIENT }";
  private static final String GRADIENT = "grid { values: [1, 2, 3] } l2_laplace { epsilon: 1 } ";

  private static ModelSpec spec(String rest) {
    return Specs.parse("model_id: 'm' dimension: 3 black_box {} " + rest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2e-4", "0.001", "2", "2e4"})
  void aGradientStatesAClipThatTheModelMayAnnounce(String bound) {
    RoundSum sum =
        admitted("round: 4 gradient_bound: %s ".formatted(bound) + GRADIENT, spec(MOVING));
    assertThat(sum.gradientBound).isEqualTo(Double.parseDouble(bound));
    assertThat(sum.namedRound).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "'', missing",
    "gradient_bound: 1.9999e-4, 1.9999E-4",
    "gradient_bound: 2.0001e4, 20001.0",
    "gradient_bound: 1e300, 1.0E300",
  })
  void anotherBoundOrNoneIsRefusedAndCharged(String bound, String what) {
    AccountingEvent event = judge(bound + " " + GRADIENT, spec(MOVING));
    assertOutcome(event, REFUSED_DECLARATION)
        .isEqualTo(
            "declaration is l2_laplace with 1.0: gradient_bound is %s: it must be that of the update whose round the report names, from 2.0E-4 to 20000.0"
                .formatted(what));
    assertThat(event.getSpent().getEpsilon()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nan", "-1", "0", "inf", "-inf"})
  void aBoundThatIsNoneIsMalformed(String bound) {
    Received decoded = decode("gradient_bound: %s ".formatted(bound) + GRADIENT);
    assertThat(decoded).isInstanceOf(Received.Malformed.class);
    assertThat(((Received.Malformed) decoded).reason()).startsWith("gradient_bound is ");
  }

  /** The learner compares no bounds where the spec has one. */
  @ParameterizedTest
  @ValueSource(strings = {"", "gradient_bound: 2 "})
  void aFixedBoundNeedNotBeStated(String bound) {
    assertThat(admitted(bound + GRADIENT, spec("gradient_bound: 2")).gradientBound).isZero();
  }

  @Test
  void anAnswerToTheClipNeedsNoBound() {
    String answer = "answer { question: '%s' bit: true } randomised_response { epsilon: 1 }";
    RoundSum sum = admitted(answer.formatted("clip"), spec(MOVING));
    assertThat(sum.form).isEqualTo(VectorForm.ANSWER);
    assertThat(sum.question).isEqualTo("clip");
    assertThat(sum.gradientBound).isZero();
    assertThat(sum.response).isCloseTo(Math.tanh(0.5), within(1e-15));
    ModelSpec asking = spec(MOVING + " questions { name: 'a' accuracy {} }");
    assertThat(judge(answer.formatted("b"), asking).getReason())
        .isEqualTo("answer.question must be one of the model's: it asks a, clip");
    assertThat(judge(answer.formatted("clip"), spec("gradient_bound: 1")).getReason())
        .isEqualTo("answer.question must be one of the model's: it asks none");
  }

  /** The grid and the trim are those of the report's bound: 0.75 has steps of 2^-17. */
  @Test
  void gridAndTrimFollowTheBound() {
    String large = "grid { values: [131072, 262144, 0] } undisclosed {}";
    double[] trimmed = values(admitted("gradient_bound: 0.75 " + large, spec(MOVING)));
    double scale = 1.5 / Math.sqrt(5);
    assertThat(trimmed[0]).isCloseTo(scale, within(0x1p-17));
    assertThat(trimmed[1]).isCloseTo(2 * scale, within(0x1p-17));
    assertThat(Vectors.squaredNorm(trimmed)).isLessThanOrEqualTo(2.25);
    String small = "grid { values: [65536, 131072, 0] } undisclosed {}";
    assertThat(values(admitted("gradient_bound: 0.75 " + small, spec(MOVING))))
        .as("of length 1.118, so not trimmed")
        .containsExactly(0.5, 1, 0);
    String declared = "grid { values: [131072, 262144, 0] } gaussian { mu: 0.5 }";
    assertThat(values(admitted("gradient_bound: 0.75 " + declared, spec(MOVING))))
        .as("the weight accounts for declared noise")
        .containsExactly(1, 2, 0);
  }

  /** A length that is plausible for one bound is not for another. */
  @Test
  void plausibilityFollowsTheBound() {
    String dense = "dense { values: [30, 0, 0] } gaussian { mu: 1 } gradient_bound: %s";
    assertAdmitted(judge(dense.formatted(2), spec(MOVING)));
    assertOutcome(judge(dense.formatted(0.5), spec(MOVING)), REFUSED_IMPLAUSIBLE)
        .contains("gradient_bound, 0.5, ");
    String coordinates =
        "dense { values: [90, 0, 0] } coordinate_laplace { taus: [1, 1, 1] clip: L2 }"
            + " gradient_bound: %s";
    assertAdmitted(judge(coordinates.formatted(2), spec(MOVING)));
    assertOutcome(judge(coordinates.formatted(0.5), spec(MOVING)), REFUSED_IMPLAUSIBLE);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.7, 300})
  void candidatesExpandToTheBound(double bound) {
    PrivUnitLaw law = new PrivUnitLaws().best(3, 2, 256);
    RoundSum sum =
        admitted(
            "candidate { dimension: 3 seed: 9 index: 5 } priv_unit { epsilon: 2 candidates: 256 top: %d } gradient_bound: %s"
                .formatted(law.top(), bound),
            spec(MOVING));
    assertThat(sum.form).isEqualTo(VectorForm.GRID_SUM);
    double[] expected = new double[3];
    CandidateVectors.expand(9, 5, bound * law.scale(), expected);
    assertThat(values(sum)).containsExactly(expected, within(1e-6 * bound));
  }

  /** A grid has 2^16 to 2^17 steps in the clip, and noise on the coarsest costs most. */
  @ParameterizedTest
  @ValueSource(strings = {"gaussian { mu: 1 }", "l2_laplace { epsilon: 1 }"})
  void theCostDependsOnNoBound(String noise) {
    String limits = " limits { delta: 1e-6 }";
    String grid = "grid { values: [1, 2, 3] } " + noise;
    AccountingEvent coarsest = judge(grid, spec("gradient_bound: 1" + limits));
    AccountingEvent finest = judge(grid, spec("gradient_bound: 1.99" + limits));
    for (double bound : new double[] {0.001, 1, 1.5, 700}) {
      AccountingEvent event =
          judge("gradient_bound: %s ".formatted(bound) + grid, spec(MOVING + limits));
      assertAdmitted(event);
      assertThat(event.getSpent()).isEqualTo(coarsest.getSpent());
      assertThat(event.getSpent().getTotalVariation())
          .isGreaterThanOrEqualTo(finest.getSpent().getTotalVariation());
    }
  }

  @Test
  void aBundleHasOneBound() {
    RoundSum first = admitted("gradient_bound: 0.5 " + GRADIENT, spec(MOVING));
    Bundle bundle = new Bundle(first);
    bundle.add(admitted("gradient_bound: 0.5 " + GRADIENT, spec(MOVING)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bundle.add(admitted("gradient_bound: 0.6 " + GRADIENT, spec(MOVING))))
        .withMessage("A report of gradient bound 0.6 in a bundle of reports of gradient bound 0.5");
    RoundSum sum = bundle.seal();
    assertThat(sum.gradientBound).isEqualTo(0.5);
    assertThat(sum.form).isEqualTo(VectorForm.GRID_SUM);
    assertThat(values(sum)).containsExactly(0x1p-16, 0x1p-15, 0x3p-16);
  }

  /**
   * The clip of coordinates bounds no norm, so the clip of the model would have no effect on it.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dense { values: [1, 2, 3] } coordinate_laplace { taus: [1, 1, 1] clip: COORDINATES }",
        "sparse { dimension: 3 indices: [1] values: [2] }"
            + " coordinate_laplace { taus: [1] clip: COORDINATES }"
      })
  void theClipOfCoordinatesIsRefused(String gradient) {
    String coordinates = "gradient_bound: 2 " + gradient;
    assertOutcome(judge(coordinates, spec(MOVING)), REFUSED_DECLARATION)
        .endsWith(
            "the clip is COORDINATES: it must be L2, since adaptive_clip follows the norm of"
                + " gradients");
    assertAdmitted(judge(coordinates, spec("gradient_bound: 2")));
  }
}
