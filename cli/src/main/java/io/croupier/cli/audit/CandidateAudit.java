package io.croupier.cli.audit;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.noise.CandidateVectors;
import java.util.List;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * Draws releases of g and of h by priv-unit, and compares them with its claim. The event is known
 * beforehand: that the index is among the K candidates of its seed that are closest to g. By its
 * claim it is at most exp(epsilon) times as frequent with g as with h, and as much where h = -g,
 * both of the longest length, since the closest candidates of h are then the opposites. The ranks
 * are counted here, and not taken from the randomiser.
 *
 * <p>A false alarm has a probability of at most 1 - confidence: half of it is for the event, a
 * quarter each for mean and variance.
 *
 * <p>O(N d) a release.
 */
final class CandidateAudit implements Experiment<Choice, CandidateAudit> {
  private final PrivUnitLaw law;
  private final double bound;
  private final double[] g;
  private final double[] h;
  private int topOfPlus;
  private int topOfMinus;
  private double sum;
  private double squares;
  private double fourths;

  /**
   * Of g along the first axis, and h = -g.
   *
   * @param law that the releases declare
   * @param bound G: length of the gradients
   */
  CandidateAudit(PrivUnitLaw law, double bound) {
    this(law, bound, axis(law, 1), axis(law, -1));
  }

  /**
   * Of any two gradients.
   *
   * @param g direction of the one on the lifted sphere, shape [d + 1]
   * @param h direction of the other
   */
  CandidateAudit(PrivUnitLaw law, double bound, double[] g, double[] h) {
    this.law = law;
    this.bound = bound;
    this.g = g.clone();
    this.h = h.clone();
  }

  private static double[] axis(PrivUnitLaw law, int sign) {
    double[] axis = new double[law.dimension() + 1];
    axis[0] = sign;
    return axis;
  }

  /** Returns the releases of a randomiser. */
  static Releases<Choice> releases(PrivUnitRandomiser randomiser) {
    double[] g = new double[randomiser.dimension()];
    return sign -> {
      g[0] = sign * randomiser.gradientBound();
      return randomiser.choose(g);
    };
  }

  @Override
  public CandidateAudit another() {
    return new CandidateAudit(law, bound, g, h);
  }

  @Override
  public void add(int index, Choice ofG, Choice ofH) {
    topOfPlus += isTop(ofG) ? 1 : 0;
    topOfMinus += isTop(ofH) ? 1 : 0;
    addAlong(height(ofG, g));
    addAlong(height(ofH, h));
  }

  private void addAlong(double along) {
    sum += along;
    squares += along * along;
    fourths += along * along * along * along;
  }

  @Override
  public void add(CandidateAudit other) {
    topOfPlus += other.topOfPlus;
    topOfMinus += other.topOfMinus;
    sum += other.sum;
    squares += other.squares;
    fourths += other.fourths;
  }

  @Override
  public Finding finding(int pairs, double falseAlarm) {
    return new Finding(
        "priv-unit",
        ", d " + law.dimension(),
        law.epsilon(),
        new EventCount(PrivacyDefinition.EPSILON, pairs, topOfPlus, topOfMinus),
        falseAlarm,
        Finding.format(
            "Event: the index is among the %,d of %,d candidates closest to g; of %,d releases"
                + " each: %,d of g, %,d of h.",
            law.top(), law.candidates(), pairs, topOfPlus, topOfMinus),
        checks(2.0 * pairs, falseAlarm / 8));
  }

  private static double height(Choice choice, double[] axis) {
    double height = CandidateVectors.height(choice.seed(), choice.index() / 2, axis);
    return choice.index() % 2 == 0 ? height : -height;
  }

  /** Whether a candidate is on the side of g, and fewer than K pairs are higher than its own. */
  private boolean isTop(Choice choice) {
    double own = height(choice, g);
    if (own < 0) {
      return false;
    }
    int higher = 0;
    for (int pair = 0; pair < law.candidates() / 2 && higher < law.top(); pair++) {
      if (Math.abs(CandidateVectors.height(choice.seed(), pair, g)) > own) {
        higher++;
      }
    }
    return higher < law.top();
  }

  /**
   * The checks of mean and variance along the gradient, by the normal law.
   *
   * @param n number of releases
   * @param falseAlarm half of the probability with which a check refutes a true claim
   */
  private List<Finding.Check> checks(double n, double falseAlarm) {
    double m = law.scale();
    double along = law.varianceAlong();
    double deviations =
        -new NormalDistribution(null, 0, 1).inverseCumulativeProbability(falseAlarm);
    double mean = m * sum / n;
    double meanMargin = deviations * Math.sqrt(along / n);
    // About the gradient itself, as a multiple of the claim.
    double ratio = (m * m * squares / n - 2 * mean + 1) / along;
    // That of the squares, and of the mean that is taken off.
    double ofSquares = m * m * Math.sqrt(Math.max(0, fourths / n - Math.pow(squares / n, 2)) / n);
    double ofMean = 2 * Math.sqrt(along / n);
    double margin = deviations * (ofSquares + ofMean) / along;
    return List.of(
        check("mean along the gradient", bound, mean, meanMargin, "its mean is %s of the gradient"),
        check(
            "variance along the gradient",
            bound * bound * along,
            ratio,
            margin,
            "its variance is %s of that claimed"));
  }

  /** Checks a ratio of what was measured to what is claimed. */
  private static Finding.Check check(
      String quantity, double claimed, double ratio, double margin, String reason) {
    return new Finding.Check(
        quantity,
        Finding.number(claimed),
        Finding.format(
            "%s +- %s", Finding.number(claimed * ratio), Finding.number(claimed * margin)),
        !(Math.abs(ratio - 1) <= margin),
        reason.formatted(Finding.number(ratio)));
  }
}
