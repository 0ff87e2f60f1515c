package io.croupier.cli.audit;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.noise.CandidateVectors;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
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
final class CandidateAudit {
  private static final int STEP = 512;

  private final int samples;
  private final double confidence;
  private final int threads;

  /**
   * @param samples releases of either gradient
   * @param confidence between 0 and 1
   * @param threads at least 1
   */
  CandidateAudit(int samples, double confidence, int threads) {
    this.samples = samples;
    this.confidence = confidence;
    this.threads = threads;
  }

  /**
   * Runs the audit.
   *
   * @param randomisers one for each thread; asked for in this thread
   * @param progress called with how many more releases were drawn; by any thread
   */
  Finding run(Supplier<PrivUnitRandomiser> randomisers, IntConsumer progress)
      throws InterruptedException, ExecutionException {
    PrivUnitRandomiser claimed = randomisers.get();
    CandidateCounts counts = new CandidateCounts();
    Slices.draw(
            threads,
            samples,
            randomisers,
            (randomiser, from, to) -> draw(randomiser, to - from, progress))
        .forEach(counts::add);
    return finding(claimed.law(), claimed.gradientBound(), counts);
  }

  /**
   * The same for releases of another program.
   *
   * @param law that the releases declare
   * @param bound G: length of the gradients
   * @param ofPlus releases of g, as many as of h
   */
  Finding of(PrivUnitLaw law, double bound, List<Choice> ofPlus, List<Choice> ofMinus) {
    CandidateCounts counts = new CandidateCounts();
    double[] axis = axis(law.dimension());
    ofPlus.forEach(choice -> counts.add(1, choice, axis, law));
    ofMinus.forEach(choice -> counts.add(-1, choice, axis, law));
    return finding(law, bound, counts);
  }

  private Finding finding(PrivUnitLaw law, double bound, CandidateCounts counts) {
    return new Finding(
        "priv-unit",
        ", d " + law.dimension(),
        law.epsilon(),
        new EventCount(PrivacyDefinition.EPSILON, samples, counts.topOfPlus, counts.topOfMinus),
        1 - confidence,
        Finding.format(
            "Event: the index is among the %,d of %,d candidates closest to g; of %,d releases"
                + " each: %,d of g, %,d of h.",
            law.top(), law.candidates(), samples, counts.topOfPlus, counts.topOfMinus),
        counts.checks(law, bound, 2.0 * samples, (1 - confidence) / 8));
  }

  private static CandidateCounts draw(
      PrivUnitRandomiser randomiser, int releases, IntConsumer progress) {
    CandidateCounts counts = new CandidateCounts();
    double[] g = new double[randomiser.dimension()];
    double[] axis = axis(g.length);
    int done = 0;
    for (int i = 0; i < releases; i++) {
      for (int sign : new int[] {1, -1}) {
        g[0] = sign * randomiser.gradientBound();
        counts.add(sign, randomiser.choose(g), axis, randomiser.law());
      }
      if ((i + 1) % STEP == 0 || i + 1 == releases) {
        progress.accept(2 * (i + 1 - done));
        done = i + 1;
      }
    }
    return counts;
  }

  /** The direction of g on the lifted sphere. */
  private static double[] axis(int dimension) {
    double[] axis = new double[dimension + 1];
    axis[0] = 1;
    return axis;
  }

  private static double height(long seed, int index, double[] axis) {
    double height = CandidateVectors.height(seed, index / 2, axis);
    return index % 2 == 0 ? height : -height;
  }

  /** Whether a candidate is on the axis' side, and fewer than K pairs are higher than its own. */
  private static boolean isTop(Choice choice, double[] axis, int candidates, int top) {
    double own = height(choice.seed(), choice.index(), axis);
    if (own < 0) {
      return false;
    }
    int higher = 0;
    for (int pair = 0; pair < candidates / 2 && higher < top; pair++) {
      if (Math.abs(CandidateVectors.height(choice.seed(), pair, axis)) > own) {
        higher++;
      }
    }
    return higher < top;
  }

  /** What was drawn of both gradients. */
  static final class CandidateCounts {
    private int topOfPlus;
    private int topOfMinus;
    private double sum;
    private double squares;
    private double fourths;

    private void add(int sign, Choice choice, double[] axis, PrivUnitLaw law) {
      double height = height(choice.seed(), choice.index(), axis);
      boolean top = isTop(choice, axis, law.candidates(), law.top());
      if (top && sign > 0) {
        topOfPlus++;
      } else if (top) {
        topOfMinus++;
      }
      double along = sign * height;
      sum += along;
      squares += along * along;
      fourths += along * along * along * along;
    }

    private void add(CandidateCounts other) {
      topOfPlus += other.topOfPlus;
      topOfMinus += other.topOfMinus;
      sum += other.sum;
      squares += other.squares;
      fourths += other.fourths;
    }

    /**
     * The checks of mean and variance along the gradient, by the normal law.
     *
     * @param n number of releases
     * @param falseAlarm half of the probability with which a check refutes a true claim
     */
    private List<Finding.Check> checks(PrivUnitLaw law, double bound, double n, double falseAlarm) {
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
          check(
              "mean along the gradient", bound, mean, meanMargin, "its mean is %s of the gradient"),
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
}
