package io.croupier.operators.ledger;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.central.NoiseLevel;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.DpFtrlParameterFree;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.PrefixSumNoise;

/**
 * The noise of a central model by its spec, and the sums that receive it. The code that adds the
 * noise, the ledger that charges for it and the published guarantees all use this one function of
 * the spec.
 *
 * <p>It depends on nothing that may change while a model runs. So the parameters of buffered linear
 * Toeplitz noise are those for a single participation. Parameters for the limits would reduce the
 * noise (by 3 to 18% for up to 10 participations, by 40% for a hundred), but limits may change, and
 * the sensitivity of noise drawn with changing parameters is not known.
 *
 * @param noise the noise of the prefix sums
 * @param level the clipping norm, the noise multiplier sigma and the grid; for least squares, sigma
 *     is the deviation in each entry of the scaled vector whose parts, {@code y x} and {@code x
 *     x'}, have norms of at most 1
 * @param sums number of noisy sums that a report enters: 2 for least squares, where the squared
 *     norm of a report's vector is at most 2; otherwise 1
 * @param weight weight of a participation under replace-one: a quarter of the largest squared
 *     distance between the contributions of two reports, in clipping norms. It is 1; for least
 *     squares 1.125, plus what rounding adds ({@link ExampleMoments})
 * @param dimension number of coordinates of the sums: the model's, or those of {@link
 *     ExampleMoments}
 */
public record CentralMechanism(
    PrefixNoise noise, NoiseLevel level, int sums, double weight, int dimension) {
  /** The sum of the labels, and the sum of the covariances. */
  static final int SUMS_OF_LEAST_SQUARES = 2;

  /**
   * Returns the mechanism of a valid central spec. The search for buffered linear Toeplitz
   * parameters takes up to 0.3 seconds for 5 buffers, 0.1 for 4.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  public static CentralMechanism of(ModelSpec spec) {
    return of(spec, new BltSearches());
  }

  /**
   * The same, for one of several uses or models.
   *
   * @param searches shared by all of them, and with no other thread
   */
  public static CentralMechanism of(ModelSpec spec, BltSearches searches) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL -> {
        DpFtrl ftrl = spec.getDpFtrl();
        yield ofGradients(
            spec,
            noise(ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion(), searches),
            ftrl.getClipNorm(),
            ftrl.getNoiseMultiplier());
      }
      case DP_FTRL_PARAMETER_FREE -> {
        DpFtrlParameterFree ftrl = spec.getDpFtrlParameterFree();
        yield ofGradients(
            spec,
            noise(ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion(), searches),
            ftrl.getClipNorm(),
            ftrl.getNoiseMultiplier());
      }
      case DP_FTRL_LEAST_SQUARES -> {
        DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
        int exponent = ExampleMoments.gridExponent(ftrl.getNoiseMultiplier());
        yield new CentralMechanism(
            noise(ftrl.getNoise(), Schedule.NEVER, false, searches),
            new NoiseLevel(1, ftrl.getNoiseMultiplier(), exponent),
            SUMS_OF_LEAST_SQUARES,
            ExampleMoments.squaredDistance(spec.getDimension(), exponent) / 4,
            moments(spec).size());
      }
      default ->
          throw new IllegalArgumentException(
              "learner of %s is %s; it must be a central one, such as dp_ftrl"
                  .formatted(spec.getModelId(), spec.getLearnerCase()));
    };
  }

  private static CentralMechanism ofGradients(
      ModelSpec spec, PrefixNoise noise, double clipNorm, double noiseMultiplier) {
    int exponent = ModelSpecs.gridExponent(spec);
    double steps = Math.scalb(clipNorm, -exponent);
    if (!(steps >= 1 && steps <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "grid_exponent is %d: clip_norm, %s, must be 1 to 2^31 - 1 steps of 2^grid_exponent, as it is with %d"
              .formatted(exponent, clipNorm, Math.getExponent(clipNorm) - 16));
    }
    NoiseLevel level = new NoiseLevel(clipNorm, noiseMultiplier, exponent);
    return new CentralMechanism(noise, level, 1, 1, spec.getDimension());
  }

  private static PrefixNoise noise(
      PrefixSumNoise noise, long restartEvery, boolean completion, BltSearches searches) {
    return switch (noise.getNoiseCase()) {
      case TREE ->
          new TreeNoise(
              ModelSpecs.varianceReduced(noise.getTree()) ? Estimator.HONAKER : Estimator.VANILLA,
              restartEvery,
              completion ? Completion.BEFORE_RESTART : Completion.NONE);
      case BLT -> searches.optimal(noise.getBlt().getBuffers(), noise.getBlt().getHorizon());
      case NOISE_NOT_SET ->
          throw new IllegalArgumentException("noise is missing: it must be tree or blt");
    };
  }

  /**
   * Returns the contributions of examples to the sums, for a valid spec of dp_ftrl_least_squares.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  public static ExampleMoments moments(ModelSpec spec) {
    DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
    return new ExampleMoments(spec.getDimension(), ftrl.getXNorm(), ModelSpecs.yBound(ftrl));
  }

  /**
   * Checks that the noise fits the grid.
   *
   * @throws IllegalArgumentException naming the parameter that doesn't allow it
   */
  public CentralMechanism {
    noise.check(dimension, level);
  }

  double noiseMultiplier() {
    return level.noiseMultiplier();
  }

  /** Multiplies the zeta of participations of weight 1 by their weight, rounded up. */
  static double weighed(double weight, double zeta) {
    double product = weight * zeta;
    return Math.fma(weight, zeta, -product) > 0 ? Math.nextUp(product) : product;
  }

  /**
   * Returns the total variation between the noise and the continuous law of mu, for a user of the
   * given zeta.
   */
  double variation(double zeta) {
    return noise.variation(dimension, zeta);
  }

  /** Starts a sum as if the given number of rounds without data had passed. */
  public PrefixSum start(long after) {
    return noise.start(dimension, level, after);
  }

  /** Returns the step of the grid in units of the gradients: 2^grid_exponent. */
  public double gridStep() {
    return Math.scalb(1.0, level.gridExponent());
  }

  /**
   * Returns the variance of the noise in each coordinate of a prefix sum, in units of the gradients
   * squared.
   */
  public double variance(long steps) {
    double deviation = level.clipNorm() * level.noiseMultiplier();
    return deviation * deviation * noise.variance(steps);
  }
}
