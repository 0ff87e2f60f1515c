package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
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
public record ReleaseCost(
    BigDecimal epsilon, BigDecimal mu, boolean unbounded, boolean undisclosed) {
  /** An unknown cost: such a release can only be counted. */
  public static final ReleaseCost UNKNOWN =
      new ReleaseCost(BigDecimal.ZERO, BigDecimal.ZERO, true, false);

  /** Different decimals of at most this precision never map to the same double. */
  private static final MathContext UNAMBIGUOUS = new MathContext(15);

  /**
   * Checks the arguments. Equal numbers are stored as equal decimals.
   *
   * @throws IllegalArgumentException if a level is negative
   */
  public ReleaseCost {
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
  public static ReleaseCost ofEpsilon(double epsilon) {
    return new ReleaseCost(level("epsilon", epsilon), BigDecimal.ZERO, false, false);
  }

  /**
   * The cost of mu-GDP.
   *
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static ReleaseCost ofMu(double mu) {
    return new ReleaseCost(BigDecimal.ZERO, level("mu", mu), false, false);
  }

  private static BigDecimal level(String name, double level) {
    if (!(level > 0 && level <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          name + " is " + level + "; it must be positive and finite");
    }
    return decimal(level);
  }

  /** The cost of a disclosed mechanism: what the job accounts, before the job rounds it up. */
  static ReleaseCost of(Mechanism mechanism) {
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      return new ReleaseCost(
          laplace.exactEpsilon(), BigDecimal.ZERO, laplace.openCoordinates() > 0, false);
    }
    return mechanism.cost().isGaussian() ? ofMu(mechanism.level()) : ofEpsilon(mechanism.level());
  }

  /** The same cost for a report that doesn't disclose its noise. */
  ReleaseCost unsaid() {
    return new ReleaseCost(epsilon, mu, unbounded, true);
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
