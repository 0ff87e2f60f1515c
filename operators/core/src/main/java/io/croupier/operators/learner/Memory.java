package io.croupier.operators.learner;

import java.io.Serializable;
import java.util.Map;

/**
 * How soon a bettor forgets. After a round of n reports, what it has learned is discounted by
 *
 * <pre>
 *   beta = 2^(-n / halfLife):  S &lt;- beta S;  V &lt;- beta^2 V;  N &lt;- beta^2 N;  earlier weights of the average &lt;- beta
 * </pre>
 *
 * <p>An expert that bets the fraction v has the wealth exp(v S - v^2 V). The discount passes this
 * wealth to the fraction v / beta, and drops the experts whose fraction leaves the range. With the
 * improper prior it costs at most 2 W0 ln(1 / beta), whatever the losses (docs/theory/rounds.md,
 * theorem 6). It has to be known before the next bet, so it follows a round rather than precedes
 * it.
 *
 * @param halfLife number of reports after which a report has half of its weight, at least 1;
 *     infinite: nothing is forgotten
 */
public record Memory(double halfLife) implements Serializable {

  /** Forgets nothing. */
  public static final Memory INFINITE = new Memory(Double.POSITIVE_INFINITY);

  /** The name of the half-life in force among the diagnostics; 0 if nothing is forgotten. */
  static final String DIAGNOSTIC = "half-life";

  /** Below 2^-256, nothing is left: so its square, and what it multiplies, don't underflow. */
  private static final double MOST_HALVINGS = 256;

  private static final double LN_2 = StrictMath.log(2);

  public Memory {
    if (!(halfLife >= 1)) {
      throw new IllegalArgumentException(
          "memory.half_life is " + halfLife + "; it has to be at least 1");
    }
  }

  /** Returns whether anything is forgotten. */
  boolean isFinite() {
    return halfLife < Double.POSITIVE_INFINITY;
  }

  /** Shows itself if anything is forgotten. */
  void diagnose(Map<String, Double> diagnostics) {
    if (isFinite()) {
      diagnostics.put(DIAGNOSTIC, halfLife);
    }
  }

  /** Returns beta, the factor that remains after {@code reports} reports, 0 to 1. */
  double remainder(double reports) {
    double halvings = reports / halfLife;
    if (halvings > MOST_HALVINGS) {
      return 0;
    }
    // StrictMath.pow allocates.
    int whole = (int) halvings;
    return Math.scalb(StrictMath.exp(-LN_2 * (halvings - whole)), -whole);
  }
}
