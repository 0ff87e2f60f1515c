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
 * The noise of a central model, as its spec has it: one function of the spec for those who add the
 * noise, those who charge for it and those who tell what it guarantees.
 *
 * <p>It depends on nothing that may change while a model runs. So parameters of buffered linear
 * Toeplitz noise are those for people who take part once: with those for the limits noise would be
 * less (by 3 to 18% for up to 10 participations, by 40% for a hundred), but limits may change, and
 * noise that is drawn with other parameters than before has a sensitivity that nobody has computed.
 *
 * @param noise of the prefix sums
 * @param noiseMultiplier sigma, in clipping norms: of least squares, in each entry of the scaled
 *     vector whose parts, {@code y x} and {@code x x'}, have norms of at most 1
 * @param sums with that noise which a report enters: 2 for least squares, the squared norm of whose
 *     vector is at most 2; else 1
 * @param weight what a participation weighs under replace-one: a quarter of the largest squared
 *     distance between what two reports add, in clipping norms. 1; of least squares 1.125, and what
 *     rounding adds ({@link ExampleMoments})
 * @param dimension of the sums
 */
public record CentralMechanism(
    PrefixNoise noise, double noiseMultiplier, int sums, double weight, int dimension) {
  /** Of the labels, and of the covariances. */
  static final int SUMS_OF_LEAST_SQUARES = 2;

  private static final int MOST_KNOWN = 100;

  /** What was searched for last: ledger and learner need it several times for each spec. */
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
   * The noise of a valid spec; empty if the model is not central. Buffered linear Toeplitz
   * parameters take up to 0.3 seconds for 5 buffers, 0.1 for 4; the last ones are remembered.
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

  /** A zeta of participations that weigh 1 each, weighed: rounded up. */
  static double weighed(double weight, double zeta) {
    double product = weight * zeta;
    return Math.fma(weight, zeta, -product) > 0 ? Math.nextUp(product) : product;
  }

  /** How far the noise is from what mu is about, for a person of so much zeta. */
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
