package io.croupier.operators.model;

import io.croupier.operators.accounting.CentralMechanism;
import io.croupier.operators.central.NoiseLevel;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;

/**
 * The noise of a central model's sums: its correlation, its level and its dimension. It depends
 * only on what is fixed while a model runs, so that ledger and learner agree.
 *
 * @param noise the correlation over rounds
 * @param level the clipping norm, the noise multiplier and the grid
 * @param dimension number of coordinates of the sums: the model's, or those of {@link
 *     ExampleMoments}
 */
record PrefixSumMechanism(PrefixNoise noise, NoiseLevel level, int dimension) {
  /**
   * Returns the mechanism of a valid central spec.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  static PrefixSumMechanism of(ModelSpec spec) {
    CentralMechanism central =
        CentralMechanism.of(spec)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "learner is %s, which is not central".formatted(spec.getLearnerCase())));
    double sigma = central.noiseMultiplier();
    if (spec.hasDpFtrlLeastSquares()) {
      int exponent = ExampleMoments.gridExponent(sigma);
      int moments = CentralLearners.moments(spec).size();
      return new PrefixSumMechanism(central.noise(), new NoiseLevel(1, sigma, exponent), moments);
    }
    double clipNorm =
        spec.hasDpFtrl()
            ? spec.getDpFtrl().getClipNorm()
            : spec.getDpFtrlParameterFree().getClipNorm();
    int exponent = ModelSpecs.gridExponent(spec);
    double steps = Math.scalb(clipNorm, -exponent);
    if (!(steps >= 1 && steps <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "grid_exponent is %d: clip_norm, %s, must be 1 to 2^31 - 1 steps of 2^grid_exponent, as it is with %d"
              .formatted(exponent, clipNorm, Math.getExponent(clipNorm) - 16));
    }
    return new PrefixSumMechanism(
        central.noise(), new NoiseLevel(clipNorm, sigma, exponent), spec.getDimension());
  }

  PrefixSumMechanism {
    noise.check(dimension, level);
  }

  /** Starts a sum as if the given number of rounds without data had passed. */
  PrefixSum start(long after) {
    return noise.start(dimension, level, after);
  }

  /** Returns the step of the grid in units of the gradients: 2^grid_exponent. */
  double gridStep() {
    return Math.scalb(1.0, level.gridExponent());
  }

  /**
   * Returns the variance of the noise in each coordinate of a prefix sum, in units of the gradients
   * squared.
   */
  double variance(long steps) {
    double deviation = level.clipNorm() * level.noiseMultiplier();
    return deviation * deviation * noise.variance(steps);
  }
}
