package io.croupier.accounting.mechanism;

import io.croupier.accounting.PureCosts;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.numerics.DecimalUnits;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What one report costs its sender, in every currency of accounting. Sums are kept in whole units,
 * each report rounded up; a level means its shortest decimal ({@link DecimalUnits}).
 *
 * <p>A Gaussian mu has rho = mu^2 / 2 [BS16, Prop. 1.6]; for a pure epsilon see {@link PureLoss}.
 *
 * @param loss the pure loss; its epsilon is 0 if there is none, and may be infinite
 * @param muSquaredPicos mu^2 of Gaussian noise in units of 1e-12; saturates
 * @param isGaussian whether the noise is Gaussian, though its mu^2 may be 0
 * @param isUndisclosed whether only the sender knows the cost
 * @param isUnbounded whether a coordinate has no noise
 * @param variation total variation between the noise and the continuous law of mu, at least 0
 * @param variationRate upper bound on the total variation per unit of mu^2, for every report to the
 *     model; 0 if unknown
 */
public record Cost(
    PureLoss loss,
    long muSquaredPicos,
    boolean isGaussian,
    boolean isUndisclosed,
    boolean isUnbounded,
    double variation,
    double variationRate) {

  private static final PureLoss NONE = PureLoss.ofEpsilon(0);

  /** Of a report that is only counted. */
  public static final Cost FREE = new Cost(NONE, 0, false, false, false, 0, 0);

  /** Of a report whose sender alone knows its cost. */
  public static final Cost UNDISCLOSED = new Cost(NONE, 0, false, true, false, 0, 0);

  /**
   * Largest total variation of one report that is counted; a larger one exceeds every delta in use,
   * so it saturates.
   */
  private static final double MOST_VARIATION = 1e-3;

  /** Replacing one user's data moves a sum by at most twice the norm of their contribution. */
  private static final BigDecimal PICOS_BY_ZETA = BigDecimal.valueOf(4).movePointRight(12);

  /**
   * The cost of epsilon-LDP.
   *
   * @throws IllegalArgumentException if epsilon is negative or no number
   */
  public static Cost ofEpsilon(double epsilon) {
    return ofLoss(PureLoss.ofEpsilon(epsilon));
  }

  /** The cost of a pure mechanism whose loss is known. */
  public static Cost ofLoss(PureLoss loss) {
    return new Cost(loss, 0, false, false, false, 0, 0);
  }

  /** The pure epsilon, in nats; 0 if there is none, may be infinite. */
  public double epsilon() {
    return loss.epsilon();
  }

  /**
   * The cost of noise by coordinates.
   *
   * @param loss of the coordinates with noise; its epsilon is 0 if there are none
   * @param open number of coordinates without noise
   */
  public static Cost ofCoordinates(PureLoss loss, int open) {
    return new Cost(loss, 0, false, false, open > 0, 0, 0);
  }

  /** The cost of mu-GDP. */
  public static Cost ofMu(double mu) {
    return gaussian(muSquaredPicos(mu));
  }

  /**
   * The cost of a participation in a central model: mu^2 = 4 zeta / sigma^2, rounded up once.
   *
   * @param zeta a quarter of the growth of the squared sensitivity, at least 0
   * @param noiseMultiplier sigma, positive
   * @param variation the total variation between the noise and the continuous law of mu
   */
  public static Cost central(double zeta, double noiseMultiplier, double variation) {
    BigDecimal sigma = BigDecimal.valueOf(noiseMultiplier);
    BigDecimal picos =
        BigDecimal.valueOf(zeta)
            .multiply(PICOS_BY_ZETA)
            .divide(sigma.multiply(sigma), 0, RoundingMode.CEILING);
    double muSquared = 4 * zeta / noiseMultiplier / noiseMultiplier;
    return gaussian(DecimalUnits.roundUp(picos, 0))
        .varied(variation, variation > 0 ? variation / muSquared : 0);
  }

  private static Cost gaussian(long muSquaredPicos) {
    return new Cost(NONE, muSquaredPicos, true, false, false, 0, 0);
  }

  /**
   * The same with the distance of the noise from the continuous law of mu.
   *
   * @param variation total variation, at least 0
   * @param rate upper bound on the total variation per unit of mu^2, for every report to the model;
   *     0 if unknown
   */
  public Cost varied(double variation, double rate) {
    return new Cost(loss, muSquaredPicos, isGaussian, isUndisclosed, isUnbounded, variation, rate);
  }

  /** The pure epsilon in units of 1e-9, rounded up; saturates. */
  public long epsilonNanos() {
    return epsilon() > 0 ? DecimalUnits.roundUp(epsilon(), 9) : 0;
  }

  /** rho of zero-concentrated differential privacy in units of 1e-12, rounded up; saturates. */
  public long rhoPicos() {
    return DecimalUnits.add(PureCosts.rhoPicos(loss), DecimalUnits.half(muSquaredPicos));
  }

  /** The mu^2 of the pure loss in units of 1e-12, rounded up; saturates. */
  public long pureMuSquaredPicos() {
    return PureCosts.muSquaredPicos(loss);
  }

  /** The total variation in units of 1e-18, rounded up; saturates. */
  public long variationAttos() {
    if (!(variation > 0)) {
      return 0;
    }
    return variation <= MOST_VARIATION
        ? DecimalUnits.roundUp(variation, 18)
        : DecimalUnits.SATURATED;
  }

  /** Returns the square of a mu in units of 1e-12, rounded up; saturated for an infinite mu. */
  public static long muSquaredPicos(double mu) {
    if (mu == Double.POSITIVE_INFINITY) {
      return DecimalUnits.SATURATED;
    }
    long micros = DecimalUnits.exactly(mu, 6);
    if (micros >= 0) {
      return DecimalUnits.multiply(micros, micros);
    }
    long certain = betweenWholePicos(mu);
    if (certain >= 0) {
      return certain;
    }
    BigDecimal decimal = BigDecimal.valueOf(mu);
    return DecimalUnits.roundUp(decimal.multiply(decimal), 12);
  }

  /**
   * Returns the same without the decimal's digits, unless its square may be on either side of a
   * whole number; then -1.
   *
   * <p>The decimal parses to the double, so they differ by at most half a unit in the last place,
   * and their squares by little more than a relative 2^-52. The double's square is computed as the
   * sum of two doubles, with a far smaller error.
   */
  private static long betweenWholePicos(double mu) {
    double square = mu * mu;
    double picos = square * 1e12;
    if (!(picos >= 1 && picos <= 1e15)) {
      return -1;
    }
    double whole = Math.rint(picos);
    double rest = picos - whole + Math.fma(square, 1e12, -picos) + Math.fma(mu, mu, -square) * 1e12;
    double error = picos * 0x1p-51;
    if (rest - error > 0 && rest + error <= 1) {
      return (long) whole + 1;
    }
    return rest - error > -1 && rest + error <= 0 ? (long) whole : -1;
  }
}
