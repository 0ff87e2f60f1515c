package io.croupier.operators.central;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;

/**
 * Buffered linear Toeplitz noise [DMPST24, MXZ24]: one draw per step and a few buffers, for a
 * horizon that is fixed in advance; at equal privacy its last and largest noise is about 0.4 of
 * Honaker's tree's.
 *
 * <p>Guarantee, under zero-out, with {@link #zeta} for the limits: zeta / (2 sigma^2)-zCDP,
 * exactly. The release is o_t = x_t + z_t - f(y_1 .. y_(t-1)), where y = o - x is the noise, z_t is
 * discrete Gaussian and f is computed in fixed point, rounded to whole steps. So given the earlier
 * releases, o_t is a discrete Gaussian about an integer, and for another input about another
 * integer. The differences of these integers are C times that of the inputs, except for rounding,
 * which adds less than W in each coordinate of each step (see {@link BltSum}), in all sqrt(n d) W,
 * whatever was released. Renyi divergences of such a sequence add up [FZ21], and so do GDP
 * parameters [ST22]. The deviation is raised to cover the rounding: sigma (L + W sqrt(n d)) instead
 * of sigma L. That is 0.01% for sigma = 5 and n = d = 10^4; it is 2% for sigma = 10 and n = d =
 * 10^6.
 *
 * <p>It is sqrt(zeta) / sigma-GDP [DRS22] up to a total variation distance of n min(d / 24, sqrt(d)
 * / 16) / s^2, where s, at least 2^28, is the deviation in steps of the noise: below 1e-9 for n = d
 * = 10^6, 1e-12 for 10^4. A buffer overflows with a probability below exp(-1000), if the parameters
 * keep noise below 64 deviations.
 *
 * @param parameters of the matrix C
 * @param horizon n: the most steps, from 1 to {@link Schedule#MAX_STEPS}
 */
public record BltNoise(BltParameters parameters, long horizon) implements PrefixNoise {
  private static final int DEVIATION_BITS = 29;

  /** Binary logarithm of the least deviation in steps of the noise. */
  private static final int LEAST_DEVIATION_BITS = 28;

  /** Relative increase of the sensitivity for the rounding of its computation, and of each term. */
  private static final double ROUNDING = 0x1p-40;

  private static final double ROUNDING_EACH = 0x1p-48;

  /**
   * Checks the horizon.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public BltNoise {
    requireHorizon(horizon);
  }

  /**
   * Returns the noise whose parameters minimise the noise of the last prefix at equal privacy.
   * Deterministic, and a function of the arguments alone: ledger and learner find the same
   * parameters.
   *
   * @param buffers m, from 1 to {@link BltParameters#MOST_BUFFERS}
   */
  public static BltNoise optimal(int buffers, long horizon, ParticipationLimits limits) {
    requireHorizon(horizon);
    return new BltNoise(new BltSearch(buffers, horizon, limits).best(), horizon);
  }

  private static void requireHorizon(long horizon) {
    if (horizon < 1 || horizon > Schedule.MAX_STEPS) {
      throw new IllegalArgumentException(
          "horizon is %d; it must be between 1 and %d".formatted(horizon, Schedule.MAX_STEPS));
    }
  }

  @Override
  public long maxSteps() {
    return horizon;
  }

  @Override
  public double zeta(long steps, ParticipationLimits limits) {
    PrefixSumChecks.step(steps, horizon);
    double rounding = ROUNDING + ROUNDING_EACH * Math.min(limits.maxParticipations(), steps);
    return parameters.squaredSensitivity(steps, limits) * (1 + rounding);
  }

  /** The variation of all steps up to the horizon. */
  @Override
  public double variation(int dimension, double zeta) {
    return zeta > 0
        ? horizon * DiscreteGaussian.variation(dimension, 1L << LEAST_DEVIATION_BITS)
        : 0;
  }

  @Override
  public double variance(long step) {
    PrefixSumChecks.step(step, horizon);
    return parameters.prefixVariance().of(step);
  }

  @Override
  public int vectors(long step) {
    PrefixSumChecks.step(step, horizon);
    return parameters.buffers() + 2;
  }

  @Override
  public void check(int dimension, NoiseLevel level) {
    grid(PrefixSumChecks.dimension(dimension), level);
  }

  private NoiseGrid grid(int dimension, NoiseLevel level) {
    double slack = BltSum.rounding(parameters, horizon) * Math.sqrt((double) horizon * dimension);
    return NoiseGrid.of(level, DEVIATION_BITS, Math.nextUp(slack));
  }

  @Override
  public PrefixSum start(int dimension, NoiseLevel level, long after) {
    NoiseGrid grid = grid(dimension, level);
    return start(dimension, grid, NodeNoise.secure(grid.deviation()), after);
  }

  PrefixSum start(int dimension, NoiseGrid grid, NodeNoise noise, long after) {
    return new BltSum(this, dimension, grid, noise, PrefixSumChecks.stepsBefore(after, maxSteps()));
  }
}
