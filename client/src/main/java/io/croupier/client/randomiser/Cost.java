package io.croupier.client.randomiser;

import io.croupier.accounting.DecimalNorm;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * The privacy cost of one release for the person whose gradient it contains, whether or not the
 * report discloses it. Relation: replace-one.
 *
 * @param epsilon the pure epsilon, in nats, as a decimal; at least 0
 * @param mu of mu-GDP, as a decimal; at least 0
 * @param unbounded whether the release may reveal more than epsilon and mu state, by an unknown
 *     amount
 * @param undisclosed whether the report doesn't disclose its noise
 */
public record Cost(BigDecimal epsilon, BigDecimal mu, boolean unbounded, boolean undisclosed) {
  /** An unknown cost: such a release can only be counted. */
  public static final Cost UNKNOWN = new Cost(BigDecimal.ZERO, BigDecimal.ZERO, true, false);

  private static final int EPSILON_DECIMALS = 9;

  /** Different decimals of at most this precision never map to the same double. */
  private static final MathContext UNAMBIGUOUS = new MathContext(15);

  /**
   * Checks the arguments. Equal numbers are stored as equal decimals.
   *
   * @throws IllegalArgumentException if a level is negative
   */
  public Cost {
    epsilon = normal("epsilon", epsilon);
    mu = normal("mu", mu);
  }

  private static BigDecimal normal(String name, BigDecimal level) {
    if (level.signum() < 0) {
      throw new IllegalArgumentException(name + " is " + level + "; it must be at least 0");
    }
    return level.stripTrailingZeros();
  }

  /**
   * The cost of epsilon-LDP.
   *
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static Cost ofEpsilon(double epsilon) {
    return new Cost(level("epsilon", epsilon), BigDecimal.ZERO, false, false);
  }

  /**
   * The cost of mu-GDP.
   *
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static Cost ofMu(double mu) {
    return new Cost(BigDecimal.ZERO, level("mu", mu), false, false);
  }

  private static BigDecimal level(String name, double level) {
    if (!(level > 0 && level <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          name + " is " + level + "; it must be positive and finite");
    }
    return decimal(level);
  }

  /**
   * The cost for gradients clipped to L2 norm G: the L2 norm of the taus, rounded up to 1e-9.
   *
   * @param taus finite
   */
  static Cost ofNorm(double[] taus) {
    DecimalNorm norm = new DecimalNorm();
    int end;
    for (int from = 0; from < taus.length; from = end) {
      end = endOfRun(taus, from);
      norm.add(taus[from], end - from);
    }
    return new Cost(norm.roundUp(EPSILON_DECIMALS), BigDecimal.ZERO, false, false);
  }

  /**
   * The cost for gradients with every coordinate clipped to G: the sum of the finite taus;
   * unbounded if a tau is infinite.
   */
  static Cost ofSum(double[] taus) {
    BigDecimal sum = BigDecimal.ZERO;
    boolean open = false;
    int end;
    for (int from = 0; from < taus.length; from = end) {
      double tau = taus[from];
      end = endOfRun(taus, from);
      if (tau == Double.POSITIVE_INFINITY) {
        open = true;
      } else {
        sum = sum.add(decimal(tau).multiply(BigDecimal.valueOf(end - from)));
      }
    }
    return new Cost(sum, BigDecimal.ZERO, open, false);
  }

  /** The end of a run of equal taus, which are the usual case. */
  private static int endOfRun(double[] taus, int from) {
    int end = from + 1;
    while (end < taus.length && taus[end] == taus[from]) {
      end++;
    }
    return end;
  }

  /** The same cost for a report that doesn't disclose its noise. */
  Cost unsaid() {
    return new Cost(epsilon, mu, unbounded, true);
  }

  /**
   * A level as written by people: the shortest decimal that identifies the double, not its exact
   * binary value. Ten times 0.1 is 1.
   *
   * @param level finite
   */
  public static BigDecimal decimal(double level) {
    BigDecimal few = new BigDecimal(level, UNAMBIGUOUS);
    return few.doubleValue() == level ? few : BigDecimal.valueOf(level);
  }
}
