package io.croupier.client.randomiser;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.ModelSpecs;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * Computes, from the privacy level that a person allows in total, the randomiser that spends it
 * over a number of reports, rounded towards more privacy.
 *
 * <p>Neighbouring relation: replace-one, of any or all of those reports. The guarantee holds for
 * that number of reports of the randomiser together, and not for more.
 *
 * <p>Levels are short decimals in the units of ledgers: an epsilon in whole units of 1e-9, the
 * square of a mu in units of 1e-12. All equal shares of a limit fit into it, as long as a share is
 * an epsilon of at most 1e6, and the limit is below 9e9, or a mu below 3e3. A larger share has more
 * than 15 digits, and its double may be slightly larger, so that the last report may not fit; a
 * ledger's sums saturate at those limits.
 *
 * <p>With a moving clip, G takes from 2^n to almost 2^(n+1) grid steps, the same n for every round.
 * Levels are computed for the coarsest of these grids, where the guarantee of discrete noise is
 * weakest, and the noise must fit the finest one, where it takes the most steps. So a randomiser
 * can be {@linkplain Randomiser#fitted fitted} to every round, and keeps the guarantee; it is made
 * for the finest grid.
 *
 * @param gradientBound the model's G; with a moving clip, that of any round
 * @param dimension the model's d
 * @param gridExponent the model's e; with a moving clip, that of the same round
 * @param reports number of releases that share the guarantee, at least 1
 * @param clipMoves whether each round has a G and an e of its own
 */
public record Calibration(
    double gradientBound, int dimension, int gridExponent, int reports, boolean clipMoves) {
  private static final int EPSILON_DECIMALS = 9;
  private static final int MU_SQUARED_DECIMALS = 12;
  private static final int MU_DIGITS = 10;

  /** Exceeds the relative errors of rounding and of {@link GaussianDp#logDelta}. */
  private static final double ROUND_UP = 1 + 0x1p-44;

  private static final double ROUND_DOWN = 1 - 0x1p-44;

  /**
   * @throws IllegalArgumentException if an argument is out of range
   */
  public Calibration {
    new GradientGrid(gradientBound, dimension, gridExponent);
    if (reports < 1) {
      throw new IllegalArgumentException("reports is " + reports + "; it must be at least 1");
    }
    if (clipMoves && gridExponent != ModelSpecs.gridExponent(gradientBound)) {
      throw new IllegalArgumentException(
          String.format(
              "gridExponent is %d; with a moving clip it must be %d, that of gradientBound %s",
              gridExponent, ModelSpecs.gridExponent(gradientBound), gradientBound));
    }
  }

  /**
   * A calibration for a model with a fixed clip.
   *
   * @throws IllegalArgumentException if an argument is out of range
   */
  public Calibration(double gradientBound, int dimension, int gridExponent, int reports) {
    this(gradientBound, dimension, gridExponent, reports, false);
  }

  /** The grid on which noise takes the most steps. */
  private GradientGrid finest() {
    return clipMoves
        ? GradientGrid.finestOfMovingClip(dimension, gridExponent, least())
        : new GradientGrid(gradientBound, dimension, gridExponent);
  }

  /** The grid on which the guarantee of noise is weakest. */
  private GradientGrid coarsest() {
    return new GradientGrid(clipMoves ? least() : gradientBound, dimension, gridExponent);
  }

  /** The least G whose grid has this exponent. */
  private double least() {
    return Math.scalb(1.0, Math.getExponent(gradientBound));
  }

  /**
   * All reports together are epsilon-DP.
   *
   * @throws IllegalArgumentException if epsilon isn't positive and finite, its share of a report is
   *     below 1e-9, or the noise doesn't fit the grid
   */
  public L2LaplaceRandomiser l2Laplace(double epsilon) {
    double share = epsilon(share(epsilon, BigInteger.ONE));
    return new L2LaplaceRandomiser(finest(), share, new SecureBits());
  }

  /**
   * All reports together are epsilon-DP, close to the least noise that pure local privacy allows.
   *
   * @throws IllegalArgumentException if epsilon isn't positive and finite, or its share of a report
   *     is below 1e-9 or above 16
   */
  public PrivUnitRandomiser privUnit(double epsilon) {
    return new PrivUnitRandomiser(
        gradientBound, dimension, epsilon(share(epsilon, BigInteger.ONE)));
  }

  /**
   * All reports together are epsilon-DP, all coordinates with the same noise, for any model:
   * gradients are clipped to L2 norm G. There is no guarantee for a single coordinate.
   *
   * @throws IllegalArgumentException as {@link #l2Laplace}, or if the tau of a coordinate is below
   *     1e-9
   */
  public CoordinateLaplaceRandomiser coordinateLaplace(double epsilon) {
    return coordinateLaplace(epsilon, ClippingNorm.L2);
  }

  /**
   * The same for a model whose learner is known. With {@link ClippingNorm#L2} the share of a report
   * is the L2 norm of its taus, epsilon / sqrt(d) each; with {@link ClippingNorm#COORDINATES} their
   * sum, epsilon / d each, and every coordinate of all reports together is LDP with its own share.
   *
   * @param clip {@link ClippingNorm#COORDINATES} only if the model's learner is coordinate-wise
   * @throws IllegalArgumentException as {@link #coordinateLaplace(double)}
   */
  public CoordinateLaplaceRandomiser coordinateLaplace(double epsilon, ClippingNorm clip) {
    BigInteger d = BigInteger.valueOf(dimension);
    BigInteger tau =
        clip == ClippingNorm.L2
            ? share(epsilon, BigInteger.ONE).pow(2).divide(d).sqrt()
            : share(epsilon, d);
    requireShare("epsilon", epsilon, tau);
    double[] taus = new double[dimension];
    Arrays.fill(taus, epsilon(tau));
    return ofTaus(taus, clip);
  }

  /**
   * All reports together are epsilon-DP, with taus proportional to weights, for any model:
   * gradients are clipped to L2 norm G. There is no guarantee for a single coordinate.
   *
   * @param weights shape [d], positive and finite, not modified
   * @throws IllegalArgumentException as {@link #coordinateLaplace(double)}, or if the weights are
   *     not as stated
   */
  public CoordinateLaplaceRandomiser coordinateLaplace(double epsilon, double[] weights) {
    requireLength("weights", weights);
    BigDecimal squares = BigDecimal.ZERO;
    for (int j = 0; j < weights.length; j++) {
      if (!(weights[j] > 0 && weights[j] <= Double.MAX_VALUE)) {
        throw new IllegalArgumentException(
            "weights[" + j + "] is " + weights[j] + "; it must be positive and finite");
      }
      squares = squares.add(BigDecimal.valueOf(weights[j]).pow(2));
    }
    BigDecimal units = new BigDecimal(share(epsilon, BigInteger.ONE));
    double[] taus = new double[dimension];
    for (int j = 0; j < taus.length; j++) {
      // Rounded down, so the sum of the squares of all parts is at most the square of the share.
      BigInteger part =
          units
              .multiply(BigDecimal.valueOf(weights[j]))
              .pow(2)
              .divideToIntegralValue(squares)
              .toBigInteger()
              .sqrt();
      requireShare("epsilon", epsilon, part);
      taus[j] = epsilon(part);
    }
    return ofTaus(taus, ClippingNorm.L2);
  }

  /**
   * Every report has these taus, whatever the number of reports.
   *
   * @param taus in nats, shape [d], copied
   * @throws IllegalArgumentException if the taus are not as {@link CoordinateLaplaceRandomiser}
   *     requires, or the noise doesn't fit the grid
   */
  public CoordinateLaplaceRandomiser ofTaus(double[] taus, ClippingNorm clip) {
    requireLength("taus", taus);
    return new CoordinateLaplaceRandomiser(finest(), taus, clip, new SecureBits());
  }

  private void requireLength(String name, double[] values) {
    if (values.length != dimension) {
      throw new IllegalArgumentException(
          name + " has " + values.length + " elements; the model has " + dimension);
    }
  }

  /**
   * All reports together are mu-GDP, up to the total variation that {@link GaussianRandomiser}
   * states for each.
   *
   * @throws IllegalArgumentException if mu isn't positive and finite, the share of a report in its
   *     square is below 1e-12, or the noise doesn't fit the grid
   */
  public GaussianRandomiser gaussian(double mu) {
    requirePositive("mu", mu);
    BigInteger share =
        BigDecimal.valueOf(mu)
            .pow(2)
            .movePointRight(MU_SQUARED_DECIMALS)
            .toBigInteger()
            .divide(BigInteger.valueOf(reports));
    requireShare("mu", mu, share);
    BigDecimal root =
        new BigDecimal(share, MU_SQUARED_DECIMALS)
            .sqrt(new MathContext(MU_DIGITS, RoundingMode.DOWN));
    return new GaussianRandomiser(finest(), root.doubleValue(), new SecureBits());
  }

  /**
   * All reports together are (epsilon, delta)-DP, exactly: by Gaussian DP, with delta reduced to
   * cover the total variation that {@link GaussianRandomiser} states, or by zero-concentrated DP,
   * which needs no such term, whichever allows less noise. Mu is the largest possible number of
   * nine or ten digits.
   *
   * @throws IllegalArgumentException if epsilon isn't positive and finite, delta isn't between 0
   *     and 1, or the noise doesn't fit the grid
   */
  public GaussianRandomiser gaussian(double epsilon, double delta) {
    requirePositive("epsilon", epsilon);
    if (!(delta > 0 && delta < 1)) {
      throw new IllegalArgumentException("delta is " + delta + "; it must be between 0 and 1");
    }
    GradientGrid grid = coarsest();
    double most = GaussianDp.mu(epsilon, StrictMath.log(delta)) / Math.sqrt(reports);
    BigDecimal ceiling = new BigDecimal(most, new MathContext(MU_DIGITS, RoundingMode.DOWN));
    int scale = MU_DIGITS - ceiling.precision() + ceiling.scale();
    long low = 0;
    long high = ceiling.setScale(scale).unscaledValue().longValueExact() + 1;
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (keeps(epsilon, delta, BigDecimal.valueOf(middle, scale).doubleValue(), grid)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    double mu = BigDecimal.valueOf(low, scale).doubleValue();
    return new GaussianRandomiser(finest(), mu, new SecureBits());
  }

  /** Whether reports of this mu are (epsilon, delta)-DP together, rounded towards false. */
  private boolean keeps(double epsilon, double delta, double mu, GradientGrid grid) {
    double all = Math.nextUp(mu * Math.nextUp(Math.sqrt(reports)));
    double steps = grid.noiseSteps(mu, gridExponent);
    double variation = DiscreteGaussian.variation(dimension, steps);
    double extra = (1 + StrictMath.exp(epsilon)) * reports * variation;
    double logRest = StrictMath.log((delta - extra * ROUND_UP) / ROUND_UP);
    if (extra < delta && GaussianDp.logDelta(epsilon, all) * ROUND_DOWN <= logRest) {
      return true;
    }
    double rho = Math.nextUp(all * all / 2);
    return ZeroConcentratedDp.epsilon(rho, StrictMath.log(delta) * ROUND_UP) <= epsilon;
  }

  private BigInteger share(double epsilon, BigInteger parts) {
    requirePositive("epsilon", epsilon);
    BigInteger share =
        BigDecimal.valueOf(epsilon)
            .movePointRight(EPSILON_DECIMALS)
            .toBigInteger()
            .divide(parts.multiply(BigInteger.valueOf(reports)));
    requireShare("epsilon", epsilon, share);
    return share;
  }

  private static double epsilon(BigInteger units) {
    return new BigDecimal(units, EPSILON_DECIMALS).doubleValue();
  }

  private void requireShare(String name, double value, BigInteger units) {
    if (units.signum() == 0) {
      throw new IllegalArgumentException(
          String.format(
              "%s is %s, which is too small to divide among %d reports of dimension %d",
              name, value, reports, dimension));
    }
  }

  private static void requirePositive(String name, double value) {
    if (!(value > 0 && value <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          name + " is " + value + "; it must be positive and finite");
    }
  }
}
