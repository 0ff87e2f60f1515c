package io.croupier.schemas;

import static io.croupier.schemas.Texts.COMMON;
import static io.croupier.schemas.Texts.TREE;
import static io.croupier.schemas.Texts.assertValid;
import static io.croupier.schemas.Texts.assertViolation;
import static io.croupier.schemas.Texts.spec;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which specs are valid, and the defaults of their fields. */
class ModelSpecsTest {
  private static final String CENTRAL = COMMON + Texts.CENTRAL_LIMITS;
  private static final String BLT =
      "clip_norm: 1 noise_multiplier: 2 noise { blt { buffers: 3 horizon: 100 } } ";

  private static void assertNamed(ModelSpec spec, String start) {
    assertThat(ModelSpecs.violations(spec))
        .singleElement()
        .asString()
        .startsWith(start)
        .contains("must be");
  }

  static ModelSpec local(String fields) {
    return spec(COMMON + "black_box {} " + fields);
  }

  @Test
  void defaultsAreThoseOfTheContract() {
    ModelSpec spec = local("");
    assertThat(ModelSpecs.gridExponent(spec)).isEqualTo(-16);
    assertThat(ModelSpecs.initialWeights(spec)).containsExactly(0, 0);
    assertThat(ModelSpecs.reportsPerRound(spec)).isEqualTo(1);
    assertThat(ModelSpecs.maxStaleness(spec)).isEqualTo(8);
    assertThat(ModelSpecs.answerProbability(spec)).isEqualTo(1);
    assertThat(ModelSpecs.initialWealth(spec)).isEqualTo(1);
    assertThat(ModelSpecs.averagingDegree(spec)).isEqualTo(3);
    assertThat(ModelSpecs.isCentral(spec)).isFalse();
    assertThat(ModelSpecs.prior(spec).hasImproper()).isTrue();
    assertThat(ModelSpecs.yBound(DpFtrlLeastSquares.getDefaultInstance())).isEqualTo(1);
    assertThat(ModelSpecs.varianceReduced(PrefixSumNoise.Tree.getDefaultInstance())).isTrue();
    ModelSpec byCoordinate = spec("gradient_bound: 3 coordinate_wise { prior { conjugate {} } }");
    assertThat(ModelSpecs.prior(byCoordinate).hasConjugate()).isTrue();
    assertThat(ModelSpecs.conjugateB(byCoordinate)).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "black_box {} | 3",
        "banco {} | 3",
        "combined {} | 3",
        "coordinate_wise {} | 3",
        "ldp_sgd {} | 0",
        "dp_ftrl {} | 0",
        "dp_ftrl_least_squares {} | 0",
        "dp_ftrl_parameter_free {} | 0",
      })
  void theDefaultAverageDependsOnTheLearner(String learner, double degree) {
    assertThat(ModelSpecs.averagingDegree(spec(learner))).isEqualTo(degree);
    assertThat(ModelSpecs.averagingDegree(spec(learner + " averaging { uniform {} }"))).isZero();
    assertThat(
            ModelSpecs.averagingDegree(spec(learner + " averaging { polynomial { degree: 2 } }")))
        .isEqualTo(2);
  }

  @Test
  void theDeprecatedNameOfTheBlackBoxHasNoSettings() {
    String deprecated =
        "a deprecated name of black_box, which the model runs as; the next release refuses it:"
            + " write black_box";
    ModelSpec plain = spec(COMMON + "adaptive_radius {} limits { mu: 1 }");
    ModelSpec blackBox = spec(COMMON + "black_box {} limits { mu: 1 }");
    assertThat(ModelSpecs.violations(plain)).isEmpty();
    assertThat(ModelSpecs.current(plain)).isEqualTo(blackBox);
    assertThat(ModelSpecs.warnings(plain)).containsExactly("adaptive_radius is " + deprecated);

    ModelSpec ignoring =
        plain.toBuilder()
            .mergeFrom(spec("initial_wealth: 3 averaging { polynomial { degree: 2 } }"))
            .build();
    assertThat(ModelSpecs.violations(ignoring)).isEmpty();
    assertThat(ModelSpecs.current(ignoring)).isEqualTo(blackBox);
    assertThat(ModelSpecs.warnings(ignoring))
        .containsExactly(
            "adaptive_radius is " + deprecated,
            "initial_wealth is ignored with adaptive_radius: leave it out",
            "averaging is ignored with adaptive_radius: leave it out");
  }

  @Test
  void aSpecWithoutDeprecatedNamesIsCurrent() {
    ModelSpec spec = local("initial_wealth: 3 averaging { uniform {} }");
    assertThat(ModelSpecs.current(spec)).isSameAs(spec);
    assertThat(ModelSpecs.warnings(spec)).isEmpty();
  }

  @Test
  void aSetZeroIsNotADefault() {
    ModelSpec spec = local("grid_exponent: 0 max_staleness: 0 initial_weights: [1, 2]");
    assertThat(ModelSpecs.gridExponent(spec)).isZero();
    assertThat(ModelSpecs.maxStaleness(spec)).isZero();
    assertThat(ModelSpecs.initialWeights(spec)).containsExactly(1, 2);
    assertThat(ModelSpecs.violations(spec)).isEmpty();
  }

  @Test
  void gridExponentIsTheExactFloorOfTheLogarithm() {
    Random random = new Random(11);
    BigDecimal two = BigDecimal.valueOf(2);
    for (int n = 0; n < 2000; n++) {
      double g = Math.scalb(1 + random.nextDouble(), random.nextInt(600) - 300);
      g = random.nextInt(4) == 0 ? Math.scalb(1.0, Math.getExponent(g)) : g;
      g = random.nextInt(4) == 0 ? Math.nextDown(g) : g;
      int exponent =
          ModelSpecs.gridExponent(ModelSpec.newBuilder().setGradientBound(g).build()) + 16;
      BigDecimal low =
          exponent >= 0
              ? two.pow(exponent)
              : BigDecimal.ONE.divide(two.pow(-exponent)); // exact: a power of two
      assertThat(low).as("seed 11, G = %s", g).isLessThanOrEqualTo(new BigDecimal(g));
      assertThat(low.multiply(two)).as("seed 11, G = %s", g).isGreaterThan(new BigDecimal(g));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "banco { strongest_noise { l2_laplace { epsilon: 1 } } radius: 3 }",
        "banco { strongest_noise { coordinate_laplace { taus: [1, inf] } } }",
        "banco { strongest_noise { coordinate_laplace { taus: 0.5 } } }",
        "banco { strongest_noise { coordinate_laplace { taus: 0.5 clip: L2 } } }",
        "banco { strongest_noise { gaussian { mu: 1 } } }",
        "banco { strongest_noise { sub_exponential { variance: 0 beta_max: inf } } }",
        "black_box { prior { conjugate { b: 1 } } radius: 1 }",
        "black_box { prior { cv {} } }",
        "coordinate_wise { prior { uniform {} } }",
        "adaptive_radius {} averaging { polynomial { degree: 3 } }",
        "ldp_sgd { step_size: 0.1 decay: 0 }",
        "black_box {} averaging { uniform {} } initial_wealth: 1e-9 answer_probability: 1e-3",
        "black_box {} reports_per_round: 50 round_timeout_ms: 1 report_bound: 1e9",
        "black_box {} round_timeout_ms: 315360000000",
        "black_box {} history { averages: 100 } served_round: 0",
        "black_box {} history { averages: 1 every_rounds: 9000000000 }",
        "black_box {} limits { epsilon: 1 mu: 2 delta: 0.5 reports: 1 }",
        "black_box {} limits { reports: 1 per_days: 370 }",
        "black_box {} grid_exponent: -40 max_staleness: 1000",
      })
  void acceptsLocalSpecs(String learner) {
    assertThat(ModelSpecs.violations(spec(COMMON + learner))).isEmpty();
    assertThat(ModelSpecs.isCentral(spec(COMMON + learner))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dp_ftrl { " + TREE + "learning_rate: 0.1 }",
        "dp_ftrl { " + BLT + "learning_rate: 0.1 momentum: 0.9 l1: 0.1 radius: 1 }",
        "dp_ftrl { " + TREE + "learning_rate: 0.1 restart_every: 8 completion: true }",
        "dp_ftrl_least_squares { x_norm: 1 noise_multiplier: 1 noise { tree {} } lambda: 1"
            + " radius: 2 }",
        "dp_ftrl_parameter_free { " + BLT + "prior { cv {} } }",
      })
  void acceptsCentralSpecs(String learner) {
    assertThat(ModelSpecs.violations(spec(CENTRAL + learner))).isEmpty();
    assertThat(ModelSpecs.isCentral(spec(CENTRAL + learner))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "model_id: 'a b'                              | model_id is",
        "model_id: ''                                 | model_id is",
        "dimension: 0                                 | dimension is 0: it must be from 1 to",
        "dimension: 67108865                          | dimension is 67108865",
        "gradient_bound: 0                            | gradient_bound is 0.0: it must be a finite",
        "gradient_bound: nan                          | gradient_bound is NaN",
        "gradient_bound: inf                          | gradient_bound is Infinity",
        "gradient_bound: 1e-300                       | gradient_bound is 1.0E-300",
        "grid_exponent: 401                           | grid_exponent is 401",
        "grid_exponent: -2147483648                   | grid_exponent is -2147483648",
        "initial_weights: [1]                         | initial_weights is of 1 values",
        "initial_weights: [1, nan]                    | initial_weights[1] is NaN",
        "reports_per_round: 0                         | reports_per_round is 0",
        "history {}                                   | history.averages is 0: it must be from 1",
        "history { averages: 101 }                    | history.averages is 101: it must be from 1",
        "history { averages: 1 every_rounds: 0 }      | history.every_rounds is 0: it must be at",
        "served_round: 5                              | served_round is 5: it must be left out",
        "history { averages: 1 } served_round: -1     | served_round is -1: it must be at least 0",
        "round_timeout_ms: 0                          | round_timeout_ms is 0: it must be from 1"
            + " to",
        "round_timeout_ms: 315360000001               | round_timeout_ms is 315360000001: it must",
        "round_timeout_ms: 9223372036854775807        | round_timeout_ms is 9223372036854775807",
        "max_staleness: -1                            | max_staleness is -1",
        "max_staleness: 1001                          | max_staleness is 1001",
        "answer_probability: 0                        | answer_probability is 0.0",
        "answer_probability: 1.5                      | answer_probability is 1.5",
        "answer_probability: nan                      | answer_probability is NaN",
        "initial_wealth: 0                            | initial_wealth is 0.0",
        "initial_wealth: inf                          | initial_wealth is Infinity",
        "report_bound: -1                             | report_bound is -1.0",
        "averaging {}                                 | averaging is empty",
        "averaging { polynomial {} }                  | averaging.polynomial.degree is missing",
        "averaging { polynomial { degree: -1 } }      | averaging.polynomial.degree is -1.0",
        "averaging { polynomial { degree: 101 } }     | averaging.polynomial.degree is 101.0",
        "memory {}                                    | memory is empty: it must be half_life or"
            + " automatic, or left out",
        "memory { half_life: 0.5 }                    | memory.half_life is 0.5: it must be from 1",
        "memory { half_life: inf }                    | memory.half_life is Infinity",
        "memory { half_life: nan }                    | memory.half_life is NaN",
        "memory { half_life: 1.1e15 }                 | memory.half_life is 1.1E15",
        "limits { epsilon: 0 }                        | limits.epsilon is 0.0",
        "limits { epsilon: 9.9e-10 }                  | limits.epsilon is 9.9E-10: it must be a"
            + " finite number of at least 1.0E-9",
        "limits { epsilon: 1e-10 delta: 0.1 }         | limits.epsilon is 1.0E-10",
        "limits { mu: 9.9e-7 }                        | limits.mu is 9.9E-7: it must be a finite"
            + " number of at least 1.0E-6",
        "limits { mu: nan }                           | limits.mu is NaN",
        "limits { delta: 1 }                          | limits.delta is 1.0",
        "limits { reports: 0 }                        | limits.reports is 0",
        "limits { max_participations: 0 }             | limits.max_participations is 0",
        "limits { min_separation: -1 }                | limits.min_separation is -1",
        "limits { mu: 1 per_days: 0 }                 | limits.per_days is 0: it must be from 1 to"
            + " 370",
        "limits { mu: 1 per_days: 371 }               | limits.per_days is 371: it must be from 1"
            + " to 370",
        "limits { delta: 0.1 per_days: 30 }           | limits.per_days is 30: it must be left out"
            + " unless limits.epsilon",
      })
  void namesTheFieldItsValueAndTheRule(String fields, String expected) {
    assertNamed(local("").toBuilder().mergeFrom(spec(fields)).build(), expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "banco {}                                               | banco.strongest_noise is missing",
        "banco { strongest_noise { l2_laplace {} } }             |"
            + " banco.strongest_noise.l2_laplace.epsilon is missing",
        "banco { strongest_noise { l2_laplace { epsilon: inf } } } |"
            + " banco.strongest_noise.l2_laplace.epsilon is Infinity",
        "banco { strongest_noise { gaussian { mu: 0 } } }         |"
            + " banco.strongest_noise.gaussian.mu is 0.0",
        "banco { strongest_noise { coordinate_laplace {} } }      |"
            + " banco.strongest_noise.coordinate_laplace.taus is of 0 values",
        "banco { strongest_noise { coordinate_laplace { taus: [1, 0] } } } |"
            + " banco.strongest_noise.coordinate_laplace.taus[1] is 0.0",
        "banco { strongest_noise { coordinate_laplace { taus: 1 clip: COORDINATES } } } |"
            + " banco.strongest_noise.coordinate_laplace.clip is COORDINATES: it must be L2 or left"
            + " out",
        "banco { strongest_noise { sub_exponential { beta_max: 1 } } } |"
            + " banco.strongest_noise.sub_exponential.variance is missing",
        "banco { strongest_noise { sub_exponential { variance: -1 beta_max: 1 } } } |"
            + " banco.strongest_noise.sub_exponential.variance is -1.0",
        "banco { strongest_noise { sub_exponential { variance: 1 beta_max: 0 } } } |"
            + " banco.strongest_noise.sub_exponential.beta_max is 0.0",
        "banco { strongest_noise { gaussian { mu: 1 } } radius: 0 } | banco.radius is 0.0",
        "black_box { prior {} }                                  | black_box.prior is empty",
        "black_box { prior { conjugate { b: 0 } } }              | black_box.prior.conjugate.b is"
            + " 0.0",
        "coordinate_wise { radius: inf }                         | coordinate_wise.radius is"
            + " Infinity",
        "ldp_sgd { decay: 0.5 }                                  | ldp_sgd.step_size is missing",
        "ldp_sgd { step_size: 1 }                                | ldp_sgd.decay is missing",
        "ldp_sgd { step_size: 1 decay: 1.5 }                     | ldp_sgd.decay is 1.5",
        "report_bound: 1                                        | learner is missing",
      })
  void checksTheParametersOfLocalLearners(String learner, String expected) {
    assertNamed(spec(COMMON + learner), expected);
  }

  @Test
  void aCvPriorNeedsFractionsBelowOne() {
    assertThat(
            ModelSpecs.violations(
                spec(
                    "model_id: 'm' dimension: 1 gradient_bound: 0.2"
                        + " black_box { prior { cv {} } }")))
        .containsExactly(
            "black_box.prior is cv: it needs a gradient_bound above 0.2, and that is 0.2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dp_ftrl { noise_multiplier: 1 noise { tree {} } learning_rate: 1 } | dp_ftrl.clip_norm is"
            + " missing",
        "dp_ftrl { clip_norm: 1 noise { tree {} } learning_rate: 1 } | dp_ftrl.noise_multiplier is"
            + " missing",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 0 noise { tree {} } learning_rate: 1 } |"
            + " dp_ftrl.noise_multiplier is 0.0",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1 } | dp_ftrl.noise is missing",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { blt { buffers: 6 horizon: 1 } }"
            + " learning_rate: 1 } | dp_ftrl.noise.blt.buffers is 6",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { blt { buffers: 1 } } learning_rate: 1 }"
            + " | dp_ftrl.noise.blt.horizon is missing",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { blt { buffers: 1 horizon: 1073741825 }"
            + " } learning_rate: 1 } | dp_ftrl.noise.blt.horizon is 1073741825",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } learning_rate: 1 momentum: 1"
            + " } | dp_ftrl.momentum is 1.0",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } learning_rate: 1 l1: -1 } |"
            + " dp_ftrl.l1 is -1.0",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } learning_rate: 1"
            + " restart_every: 0 } | dp_ftrl.restart_every is 0",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { tree {} } learning_rate: 1 completion:"
            + " true } | dp_ftrl.completion is true",
        "dp_ftrl { clip_norm: 1 noise_multiplier: 1 noise { blt { buffers: 1 horizon: 9 } }"
            + " learning_rate: 1 restart_every: 9 } | dp_ftrl.restart_every is 9",
        "dp_ftrl_least_squares { noise_multiplier: 1 noise { tree {} } lambda: 1 radius: 1 } |"
            + " dp_ftrl_least_squares.x_norm is missing",
        "dp_ftrl_least_squares { x_norm: 1 y_bound: 0 noise_multiplier: 1 noise { tree {} } lambda:"
            + " 1 radius: 1 } | dp_ftrl_least_squares.y_bound is 0.0",
        "dp_ftrl_least_squares { x_norm: 1 noise_multiplier: 1 noise { tree {} } radius: 1 } |"
            + " dp_ftrl_least_squares.lambda is missing",
        "dp_ftrl_least_squares { x_norm: 1 noise_multiplier: 1 noise { tree {} } lambda: 1 } |"
            + " dp_ftrl_least_squares.radius is missing",
        "dp_ftrl_parameter_free { clip_norm: 1 noise_multiplier: 1 noise {} } |"
            + " dp_ftrl_parameter_free.noise is missing",
        "dp_ftrl_parameter_free { clip_norm: 1 noise_multiplier: 1 noise { tree {} } prior {} } |"
            + " dp_ftrl_parameter_free.prior is empty",
        "adaptive_radius {} round_timeout_ms: 0 | round_timeout_ms is 0",
      })
  void checksTheParametersOfCentralLearners(String learner, String expected) {
    assertNamed(spec(CENTRAL + learner), expected);
  }

  @Test
  void theLimitsOfACentralModelHaveNoPeriod() {
    ModelSpec.Builder spec =
        spec(CENTRAL + "dp_ftrl { " + TREE + "learning_rate: 0.1 }").toBuilder();
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    spec.getLimitsBuilder().setMu(1).setPerDays(30);
    assertViolation(spec.build(), "limits.per_days is 30: it must be left out for a central model");
  }

  @Test
  void aCentralSpecNeedsWhatItsGuaranteeFollowsFrom() {
    ModelSpec spec = spec(COMMON + "round_timeout_ms: 5 dp_ftrl { " + TREE + "learning_rate: 1 }");
    assertThat(ModelSpecs.violations(spec))
        .hasSize(4)
        .anyMatch(v -> v.startsWith("round_timeout_ms is 5: it must be left out"))
        .anyMatch(v -> v.startsWith("limits.delta is missing"))
        .anyMatch(v -> v.startsWith("limits.max_participations is missing"))
        .anyMatch(v -> v.startsWith("limits.min_separation is missing"));
  }

  @Test
  void findsEveryViolationOfAnEmptySpec() {
    assertThat(ModelSpecs.violations(ModelSpec.getDefaultInstance()))
        .extracting(v -> v.substring(0, v.indexOf(' ')))
        .containsExactly("model_id", "dimension", "gradient_bound", "learner");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {}",
        "combined {}",
        "coordinate_wise {}",
        "banco { strongest_noise { l2_laplace { epsilon: 1 } } }"
      })
  void bettorsHaveAMemory(String learner) {
    assertValid(COMMON + learner + " memory { half_life: 20000 }");
    assertValid(COMMON + learner + " memory { automatic {} }");
  }

  @Test
  void otherLearnersHaveNoMemory() {
    for (String learner :
        List.of(
            "ldp_sgd { step_size: 1 decay: 0 }",
            "adaptive_radius {}",
            "dp_ftrl_parameter_free { clip_norm: 1 noise_multiplier: 1 noise { tree {} } }")) {
      String rule =
          ": it must be left out with %s: only combined, black_box, banco and coordinate_wise have a memory"
              .formatted(learner.substring(0, learner.indexOf(' ')));
      assertThat(ModelSpecs.violations(spec(COMMON + learner + " memory { half_life: 20000 }")))
          .as(learner)
          .contains("memory.half_life is 20000.0" + rule);
      assertThat(ModelSpecs.violations(spec(COMMON + learner + " memory { automatic {} }")))
          .contains("memory.automatic is set" + rule);
    }
  }

  @Test
  void sizesBoundTheLargestMessages() {
    ModelSpec spec = local("").toBuilder().setDimension(5000).setModelId("m".repeat(100)).build();
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(Long.MIN_VALUE)
            .setUsed(-1)
            .setDroppedStale(-1)
            .setDroppedUnpublished(-1)
            .setOpen(-1)
            .setGridExponent(Integer.MIN_VALUE)
            .setGradientBound(1)
            .setAnswerProbability(1)
            .setPublishedAtMs(-1);
    Dense.Builder dense = Dense.newBuilder();
    CoordinateLaplace.Builder laplace = CoordinateLaplace.newBuilder();
    for (int i = 0; i < 5000; i++) {
      update.addWeights(1).addAverage(1);
      dense.addValues(1);
      laplace.addTaus(1);
    }
    for (int i = 0; i < 50; i++) {
      update.putDiagnostics("a diagnostic with a long name: " + i, 1);
    }
    GradientReport report =
        GradientReport.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(Long.MAX_VALUE)
            .setUserId("u".repeat(256))
            .setDeviceId("d".repeat(256))
            .setSequence(Long.MAX_VALUE)
            .setCreatedAtMs(-1)
            .setDense(dense)
            .setCoordinateLaplace(laplace)
            .build();
    assertThat((long) update.build().getSerializedSize())
        .isBetween(80_000L, ModelSpecs.updateBytes(spec));
    assertThat((long) report.getSerializedSize()).isBetween(80_000L, ModelSpecs.reportBytes(spec));
    ModelSpec large = spec.toBuilder().setDimension(ModelSpecs.MAX_DIMENSION).build();
    assertThat(ModelSpecs.updateBytes(large)).isEqualTo((1L << 30) + 8192);
  }
}
