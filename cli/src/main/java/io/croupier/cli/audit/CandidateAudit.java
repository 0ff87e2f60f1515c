package io.croupier.cli.audit;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.noise.CandidateVectors;
import java.util.List;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * Draws releases of g and of h = -g by priv-unit, g of the longest length along the first axis, and
 * compares them with its claim. The event is known beforehand: that the index is among the K
 * candidates of its seed that are closest to g. By its claim it is exp(epsilon) times as frequent
 * with g as with h, whose closest candidates are the opposites. The ranks are counted here, and not
 * taken from the randomiser.
 *
 * <p>A false alarm has a probability of at most 1 - confidence: half of it is for the event, a
 * quarter each for mean and variance.
 *
 * <p>O(N d) a release.
 */
final class CandidateAudit implements Experiment<Choice, CandidateAudit> {
  private final PrivUnitLaw law;
  private final double bound;
  private final double[] axis;
  private int topOfPlus;
  private int topOfMinus;
  private double sum;
  private double squares;
  private double fourths;

  /**
   * @param law that the releases declare
   * @param bound G: length of the gradients
   */
  CandidateAudit(PrivUnitLaw law, double bound) {
    this.law = law;
    this.bound = bound;
    // The direction of g on the lifted sphere.
    axis = new double[law.dimension() + 1];
    axis[0] = 1;
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
    return new CandidateAudit(law, bound);
  }

  @Override
  public void add(int index, Choice ofG, Choice ofH) {
    topOfPlus += isTop(ofG) ? 1 : 0;
    topOfMinus += isTop(ofH) ? 1 : 0;
    addAlong(height(ofG.seed(), ofG.index()));
    addAlong(-height(ofH.seed(), ofH.index()));
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

  private double height(long seed, int index) {
    double height = CandidateVectors.height(seed, index / 2, axis);
    return index % 2 == 0 ? height : -height;
  }

  /** Whether a candidate is on the axis' side, and fewer than K pairs are higher than its own. */
  private boolean isTop(Choice choice) {
    double own = height(choice.seed(), choice.index());
    if (own < 0) {
      return false;
    }
    int higher = 0;
    for (int pair = 0; pair < law.candidates() / 2 && higher < law.top(); pair++) {
      if (Math.abs(CandidateVectors.height(choice.seed(), pair, axis)) > own) {
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
