package io.croupier.operators.accounting;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.DpFtrlParameterFree;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.PrefixSumNoise;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The noise of a central model by its spec. The code that adds the noise, the ledger that charges
 * for it and the published guarantees all use this one function of the spec.
 *
 * <p>It depends on nothing that may change while a model runs. So the parameters of buffered linear
 * Toeplitz noise are those for a single participation. Parameters for the limits would reduce the
 * noise (by 3 to 18% for up to 10 participations, by 40% for a hundred), but limits may change, and
 * the sensitivity of noise drawn with changing parameters is not known.
 *
 * @param noise the noise of the prefix sums
 * @param noiseMultiplier sigma, in clipping norms; for least squares, in each entry of the scaled
 *     vector whose parts, {@code y x} and {@code x x'}, have norms of at most 1
 * @param sums number of noisy sums that a report enters: 2 for least squares, where the squared
 *     norm of a report's vector is at most 2; otherwise 1
 * @param weight weight of a participation under replace-one: a quarter of the largest squared
 *     distance between the contributions of two reports, in clipping norms. It is 1; for least
 *     squares 1.125, plus what rounding adds ({@link ExampleMoments})
 * @param dimension dimension of the sums
 */
public record CentralMechanism(
    PrefixNoise noise, double noiseMultiplier, int sums, double weight, int dimension) {
  /** The sum of the labels, and the sum of the covariances. */
  static final int SUMS_OF_LEAST_SQUARES = 2;

  private static final int MOST_KNOWN = 100;

  /**
   * The latest search results: ledger and learner need the same one several times for each spec.
   */
  private static final Map<PrefixSumNoise.Blt, BltNoise> KNOWN =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PrefixSumNoise.Blt, BltNoise> eldest) {
              return size() > MOST_KNOWN;
            }
          });

  /**
   * Returns the mechanism of a valid spec; empty if the model is not central. The search for
   * buffered linear Toeplitz parameters takes up to 0.3 seconds for 5 buffers, 0.1 for 4; the
   * latest results are cached.
   */
  public static Optional<CentralMechanism> of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL -> {
        DpFtrl ftrl = spec.getDpFtrl();
        yield Optional.of(
            new CentralMechanism(
                noise(ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion()),
                ftrl.getNoiseMultiplier(),
                1,
                1,
                spec.getDimension()));
      }
      case DP_FTRL_LEAST_SQUARES -> {
        DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
        yield Optional.of(
            new CentralMechanism(
                noise(ftrl.getNoise(), Schedule.NEVER, false),
                ftrl.getNoiseMultiplier(),
                SUMS_OF_LEAST_SQUARES,
                ExampleMoments.squaredDistance(
                        spec.getDimension(), ExampleMoments.gridExponent(ftrl.getNoiseMultiplier()))
                    / 4,
                ExampleMoments.size(spec.getDimension())));
      }
      case DP_FTRL_PARAMETER_FREE -> {
        DpFtrlParameterFree ftrl = spec.getDpFtrlParameterFree();
        yield Optional.of(
            new CentralMechanism(
                noise(ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion()),
                ftrl.getNoiseMultiplier(),
                1,
                1,
                spec.getDimension()));
      }
      default -> Optional.empty();
    };
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

  private static PrefixNoise noise(PrefixSumNoise noise, long restartEvery, boolean completion) {
    return switch (noise.getNoiseCase()) {
      case TREE ->
          new TreeNoise(
              ModelSpecs.varianceReduced(noise.getTree()) ? Estimator.HONAKER : Estimator.VANILLA,
              restartEvery,
              completion ? Completion.BEFORE_RESTART : Completion.NONE);
      case BLT ->
          KNOWN.computeIfAbsent(
              noise.getBlt(),
              blt ->
                  BltNoise.optimal(blt.getBuffers(), blt.getHorizon(), ParticipationLimits.ONCE));
      case NOISE_NOT_SET ->
          throw new IllegalArgumentException("noise is missing: it must be tree or blt");
    };
  }
}
