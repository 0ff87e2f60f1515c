package io.croupier.accounting.privunit;

/**
 * What one release is worth, in units of the gradient bound G. Privacy is not among it: a release
 * is epsilon-LDP whatever these numbers are.
 *
 * <p>With f the density of a coordinate of a uniform unit vector of D = d + 1 dimensions and w(t)
 * the probability that a pair of height t is among the top K of N / 2:
 *
 * <pre>
 *   m = int_0^1 t f(t) w(t) dt,   Z = 1 + (e^epsilon - 1) K / N,   M = Z / ((e^epsilon - 1) m)
 *   E T^2 = (1 / D + (e^epsilon - 1) int_0^1 t^2 f(t) w(t) dt) / Z
 * </pre>
 *
 * <p>Accuracy: M to a relative 1e-12, variances to 1e-11, the same bits on every platform.
 * Immutable.
 */
public final class PrivUnitLaw {
  /**
   * Largest M over the least possible one; docs/reference/priv-unit.md names the lemma that needs
   * it.
   */
  public static final double MOST_ABOVE_OPTIMUM = 1.3;

  /** Largest epsilon. */
  public static final double MOST_EPSILON = 16;

  /** Most candidates. */
  public static final int MOST_CANDIDATES = 4096;

  /** What a bound by the limit for large dimensions is multiplied with, to be sure. */
  private static final double MARGIN = 1.02;

  private final Sphere sphere;
  private final double epsilon;
  private final int candidates;
  private final int top;
  private final double odds;
  private final double scale;
  private final double along;
  private final double across;

  PrivUnitLaw(Sphere sphere, double epsilon, int candidates, int top, Sphere.RankMoments moments) {
    this.sphere = sphere;
    this.epsilon = epsilon;
    this.candidates = candidates;
    this.top = top;
    odds = StrictMath.expm1(epsilon);
    double normaliser = 1 + odds * top / candidates;
    scale = scale(odds, candidates, top, moments);
    int d = sphere.dimension();
    double square = (1.0 / d + odds * moments.second()) / normaliser;
    along = scale * scale * square - 1;
    across = scale * scale * (1 - square) / (d - 1);
  }

  static double scale(double odds, int candidates, int top, Sphere.RankMoments moments) {
    return (1 + odds * top / candidates) / (odds * moments.first());
  }

  /** Whether a number of candidates is one of 64, 256, 1024 and 4096. */
  public static boolean areCandidates(int candidates) {
    return candidates == 64
        || candidates == 256
        || candidates == 1024
        || candidates == MOST_CANDIDATES;
  }

  /** The number of candidates that is chosen for an epsilon where none is given. */
  public static int defaultCandidates(double epsilon) {
    return epsilon <= 4 ? 256 : epsilon <= 8 ? 1024 : MOST_CANDIDATES;
  }

  /** In nats. */
  public double epsilon() {
    return epsilon;
  }

  /** d. */
  public int dimension() {
    return sphere.dimension() - 1;
  }

  /** N. */
  public int candidates() {
    return candidates;
  }

  /** K. */
  public int top() {
    return top;
  }

  /** M: how long a chosen candidate is, its last coordinate included. */
  public double scale() {
    return scale;
  }

  /**
   * Whether M is at most 1.3 times the least one that any epsilon-LDP choice of a point of the
   * sphere has. Takes some microseconds.
   */
  public boolean isNearOptimum() {
    return Cap.isWithin(sphere, odds, scale, MOST_ABOVE_OPTIMUM);
  }

  /** Variance of the noise along the lifted gradient u. */
  public double varianceAlong() {
    return along;
  }

  /** Variance of the noise along any direction that is orthogonal to u. */
  public double varianceAcross() {
    return across;
  }

  /** The largest variance along any direction, for any gradient. */
  public double directionalVariance() {
    return Math.max(along, across);
  }

  /**
   * E||release - g||^2 for a gradient of length 1; for shorter ones it differs by at most the
   * difference of the two variances.
   */
  public double squaredError() {
    return along + (dimension() - 1.0) * across;
  }

  /**
   * A sound sub-Gaussian variance for bets b of either sign with |b| &lt;= range along any unit
   * vector a of the first d coordinates, whatever the gradient g: E exp(b &lt;noise, a&gt;) &lt;=
   * exp(b^2 variance / 2), noise being release - g.
   *
   * <p>The larger of two. Along u, 1.02 times the limit of large dimensions: M^2 / D plus {@link
   * Cap#bettingExcess}, at least the variance; tests compare it with quadrature, for tops that are
   * not the best, too. Across u, where the noise is M sqrt(1 - T^2) times a coordinate of a uniform
   * unit vector of d coordinates, which has the sub-Gaussian variance 1 / d: with X = M^2 (1 - T^2)
   * / d &lt;= c = M^2 / d and E X the variance across, convexity gives E exp(b^2 X / 2) &lt;= 1 + E
   * X / c (exp(b^2 c / 2) - 1). Directions in between need no more than the larger, by a check of
   * the same kind.
   *
   * @param range in units of 1 / G, positive and finite
   */
  public double bettingVariance(double range) {
    double square = scale * scale;
    double excess = Cap.bettingExcess(odds, (double) top / candidates, range);
    double ahead = MARGIN * (square / sphere.dimension() + excess);
    double most = square / dimension();
    double half = range * range / 2;
    double beside = StrictMath.log1p(across / most * StrictMath.expm1(half * most)) / half;
    return Math.max(Math.max(ahead, Math.min(beside, most)), directionalVariance());
  }

  /**
   * The least such variance for bets of any size: the largest value over b > 0 of 2 / b^2 (ln E
   * exp(-b M T) + b), or the variance across. Takes some milliseconds.
   */
  public double leastBettingVariance() {
    // Beyond b the first is at most 2 (M + 1) / b.
    return leastBettingVariance(2 * (scale + 1) / directionalVariance());
  }

  HeightLaw chosen() {
    return sphere.chosen(candidates / 2, top, odds);
  }

  /** The same for bets of at most a range. */
  double leastBettingVariance(double range) {
    HeightLaw chosen = chosen();
    return Math.max(across, Supremum.of(b -> 2 / (b * b) * (chosen.logMean(b * scale) + b), range));
  }
}
