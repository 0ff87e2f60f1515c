package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;
import java.util.Arrays;

/**
 * A person's custom noise: rounded to the nearest grid point (halves upwards, which commutes with
 * adding a gradient on the grid), negated or not by a fair coin toss, and added.
 *
 * <p>The law of the added noise is exactly symmetric, and has mean zero. Its declared properties
 * refer to the noise before rounding, and are only as reliable as its author.
 *
 * <p>Overflow is bounded by Chernoff's bound with the pair that its author states, and the union
 * over coordinates and signs.
 *
 * <p>O(d) per release, plus the draw.
 */
final class OwnRandomiser extends AdditiveRandomiser {
  /** Saturates every coordinate. */
  private static final long ENOUGH = 1L << 33;

  private final SymmetricNoise noise;
  private final double directionalVariance;
  private final SubExponential subExponential;
  private final SecureBits bits;
  private final double[] draw;

  OwnRandomiser(GradientGrid grid, SymmetricNoise noise, SecureBits bits) {
    super(grid, ClippingNorm.L2, bits, UndisclosedNoise.UNDISCLOSED, noise.cost().unsaid());
    this.noise = noise;
    this.bits = bits;
    directionalVariance = noise.directionalVariance();
    if (!(directionalVariance >= 0 && directionalVariance <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "directionalVariance is " + directionalVariance + "; it must be finite and at least 0");
    }
    subExponential = noise.subExponential();
    double variance = subExponential.getVariance();
    double betaMax = subExponential.getBetaMax();
    if (!(variance >= directionalVariance && variance <= Double.MAX_VALUE && betaMax > 0)) {
      throw new IllegalArgumentException(
          String.format(
              "subExponential is {variance %s, betaMax %s}; its variance must be finite and at"
                  + " least the directionalVariance %s, its betaMax positive",
              variance, betaMax, directionalVariance));
    }
    double logTails = Math.log(2.0 * grid.dimension());
    grid.requireRoom(
        "custom noise of variance " + directionalVariance,
        1,
        reach -> logTails + logTail(reach, variance, betaMax));
    draw = new double[grid.dimension()];
  }

  /** ln of the minimum of exp(beta^2 variance / 2 - beta reach) over |beta| &lt;= betaMax. */
  private static double logTail(double reach, double variance, double betaMax) {
    return reach / variance <= betaMax
        ? -reach / 2 * (reach / variance)
        : betaMax * (betaMax * variance / 2 - reach);
  }

  @Override
  AdditiveRandomiser on(GradientGrid other, SecureBits sameBits) {
    throw new IllegalArgumentException(
        "custom noise can't be fitted to gradientBound "
            + other.gradientBound()
            + ": its scale is fixed; make it for the bound of each round");
  }

  @Override
  public double directionalVariance() {
    return directionalVariance;
  }

  @Override
  public SubExponential subExponential() {
    return subExponential;
  }

  @Override
  void addNoise(int[] steps) {
    // A coordinate that the draw leaves unset must not count as noise of 0.
    Arrays.fill(draw, Double.NaN);
    try {
      noise.draw(bits::getAsLong, draw);
      int sign = bits.getAsLong() < 0 ? -1 : 1;
      for (int i = 0; i < steps.length; i++) {
        steps[i] = GradientGrid.saturate(steps[i] + sign * rounded(i));
      }
    } finally {
      GradientGrid.erase(draw);
    }
  }

  /** Rounds to grid steps; values beyond 32 bits are all equivalent, since they saturate. */
  private long rounded(int coordinate) {
    double drawn = draw[coordinate];
    if (!(Math.abs(drawn) <= Double.MAX_VALUE)) {
      throw new IllegalStateException(
          "noise is not finite at coordinate "
              + coordinate
              + "; draw must set every coordinate to a finite number. No report is released");
    }
    return Math.max(-ENOUGH, Math.min(ENOUGH, Math.round(grid.inSteps(drawn))));
  }
}
