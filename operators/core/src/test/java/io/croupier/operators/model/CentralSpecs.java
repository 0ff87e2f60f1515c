package io.croupier.operators.model;

import io.croupier.operators.report.Specs;
import io.croupier.schemas.ModelSpec;

/** Specs of central models of two coordinates, practically without noise unless a test sets it. */
final class CentralSpecs {
  /**
   * Far below the grid of the gradients, and above 0, since specs require that. The noise isn't
   * seeded; tests allow errors of 1e-7 or more in weights, at least 50 deviations: they fail by
   * chance with a probability below 1e-500.
   */
  static final double HARDLY_ANY = 1e-9;

  static final String TREE = "tree {}";

  private CentralSpecs() {}

  static String blt(int horizon) {
    return "blt { buffers: 2 horizon: %d }".formatted(horizon);
  }

  static ModelSpec.Builder linear(String noise, double noiseMultiplier) {
    return spec("dp_ftrl { clip_norm: 1 learning_rate: 1", noise, noiseMultiplier);
  }

  static ModelSpec.Builder leastSquares(String noise, double noiseMultiplier) {
    return spec(
        "dp_ftrl_least_squares { x_norm: 2 y_bound: 4 lambda: 1e-6 radius: 10",
        noise,
        noiseMultiplier);
  }

  static ModelSpec.Builder parameterFree(String noise, double noiseMultiplier) {
    return spec("dp_ftrl_parameter_free { clip_norm: 1", noise, noiseMultiplier);
  }

  private static ModelSpec.Builder spec(String learner, String noise, double noiseMultiplier) {
    return Specs.of(
        2,
        1,
        "limits { delta: 1e-6 max_participations: 3 min_separation: 1 }"
            + " %s noise_multiplier: %s noise { %s } }".formatted(learner, noiseMultiplier, noise))
        .toBuilder();
  }
}
