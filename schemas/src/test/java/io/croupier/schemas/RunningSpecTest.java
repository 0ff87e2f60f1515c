package io.croupier.schemas;

import static io.croupier.schemas.ModelSpecsTest.local;
import static io.croupier.schemas.Texts.COMMON;
import static io.croupier.schemas.Texts.TREE;
import static io.croupier.schemas.Texts.assertEqual;
import static io.croupier.schemas.Texts.spec;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which fields of a spec may change while its model runs. */
class RunningSpecTest {
  @Test
  void aRunningModelMayLoseItsDeprecatedName() {
    ModelSpec deprecated = spec(COMMON + "adaptive_radius {} averaging { uniform {} }");
    assertEqual(deprecated, local(""));
    assertThat(ModelSpecs.changeViolations(deprecated, local("averaging { uniform {} }")))
        .anyMatch(v -> v.startsWith("averaging.polynomial of a running model is fixed"));
    assertThat(ModelSpecs.changeViolations(deprecated, spec(COMMON + "ldp_sgd { step_size: 1 }")))
        .containsExactly(
            "learner of a running model is fixed: it is black_box and can't become ldp_sgd");
  }

  @Test
  void anExplicitDefaultEqualsAnAbsentField() {
    List<List<String>> pairs =
        List.of(
            List.of(
                "black_box {}",
                "black_box { prior { improper {} } } grid_exponent: -16 initial_wealth: 1"
                    + " reports_per_round: 1 averaging { polynomial { degree: 3 } }"
                    + " initial_weights: [0, -0.0]"),
            List.of(
                "ldp_sgd { step_size: 1 }", "ldp_sgd { step_size: 1 } averaging { uniform {} }"),
            List.of("coordinate_wise {}", "coordinate_wise { prior { improper {} } }"),
            List.of(
                "coordinate_wise { prior { conjugate {} } }",
                "coordinate_wise { prior { conjugate { b: 1 } } }"),
            List.of(
                "dp_ftrl { " + TREE + "}",
                "dp_ftrl { clip_norm: 1 noise_multiplier: 2 momentum: 0 l1: 0 completion: false"
                    + " noise { tree { variance_reduced: true } } }"),
            List.of(
                "dp_ftrl_least_squares { noise { tree {} } }",
                "dp_ftrl_least_squares { y_bound: 1 noise { tree { variance_reduced: true } } }"),
            List.of(
                "dp_ftrl_parameter_free { noise { tree {} } }",
                "dp_ftrl_parameter_free { noise { tree {} } prior { improper {} } }"));
    for (List<String> pair : pairs) {
      assertEqual(spec(COMMON + pair.get(0)), spec(COMMON + pair.get(1)));
    }
  }

  @Test
  void limitsAndPaceOfARunningModelMayChange() {
    ModelSpec current = local("reports_per_round: 5 limits { epsilon: 1 } round_timeout_ms: 9");
    ModelSpec next =
        local(
            "reports_per_round: 6 limits { mu: 1 } answer_probability: 0.5 max_staleness: 0"
                + " history { averages: 3 } served_round: 7");
    assertThat(ModelSpecs.changeViolations(current, next)).isEmpty();
    assertThat(ModelSpecs.changeViolations(next, current))
        .containsExactly(
            "reports_per_round of a running model may only grow: it is 6 and can't become 5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "dimension: 3             | dimension of a running model is fixed: it is 2 and can't become"
            + " 3",
        "gradient_bound: 2        | gradient_bound of a running model is fixed: it is 1.0 and can't"
            + " become 2.0",
        "grid_exponent: -20       | grid_exponent of a running model is fixed: it is -16 and can't"
            + " become -20",
        "initial_weights: [0, 1]  | initial_weights of a running model is fixed: it is 0 values and"
            + " can't become 2 values",
        "initial_wealth: 2        | initial_wealth of a running model is fixed: it is 1.0 and can't"
            + " become 2.0",
        "report_bound: 2          | report_bound of a running model is fixed: it is absent and"
            + " can't become 2.0",
        "ldp_sgd { step_size: 1 } | learner of a running model is fixed: it is black_box and can't"
            + " become ldp_sgd",
        "black_box { radius: 2 }  | black_box.radius of a running model is fixed: it is absent and"
            + " can't become 2.0",
        "black_box { prior { cv {} } } | black_box.prior.improper of a running model is fixed",
        "averaging { uniform {} } | averaging.uniform of a running model is fixed",
        "averaging { polynomial { degree: 2 } } | averaging.polynomial.degree of a running model is"
            + " fixed: it is 3.0 and can't become 2.0",
        "memory { half_life: 9 }  | memory of a running model is fixed: it is absent and can't become"
            + " {half_life: 9.0}",
        "model_id: 'n'            | model_id of a running model is fixed: it is m and can't become"
            + " n",
      })
  void nothingElseOfARunningModelMayChange(String change, String expected) {
    ModelSpec current = local("");
    ModelSpec next = current.toBuilder().mergeFrom(spec(change)).build();
    // The default of the grid follows the bound; the bound alone is to differ here.
    if (next.getGradientBound() != 1) {
      next = next.toBuilder().setGridExponent(-16).build();
    }
    assertThat(ModelSpecs.changeViolations(current, next)).anyMatch(v -> v.startsWith(expected));
    assertThat(ModelSpecs.changeViolations(next, current)).isNotEmpty();
  }
}
