package io.croupier.studies;

import io.croupier.accounting.CategoryLaw;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.QuantileEstimate;
import io.croupier.operators.evaluation.QuantileTally;
import io.croupier.operators.evaluation.Simplex;
import io.croupier.operators.evaluation.VoteTally;
import java.util.Arrays;

/**
 * Quantiles of delays in whole minutes, each spread evenly over its minute, from randomised
 * releases: of bits about a threshold that moves, and of votes for the classes of a histogram.
 */
final class QuantileTrial {
  static final double[] LEVELS = {0.5, 0.95};
  static final int PUBLICATIONS = 60;

  /** The range of delays in minutes. */
  static final double FROM = -60;

  static final double TO = 1440;

  /** Numbers of classes of equal length. */
  static final int[] HISTOGRAMS = {8, 16, 32, 64, 128, 256, 512};

  private final int[] delays;

  /**
   * @param delays of all people, any of whom may be drawn; ascending
   */
  QuantileTrial(int[] delays) {
    this.delays = delays;
  }

  /** The errors in minutes of one run: of the moving question, then of each histogram. */
  double[][] errors(double epsilon, int count, SeededRandom random) {
    int each = (count + PUBLICATIONS - 1) / PUBLICATIONS;
    double[][] errors = new double[1 + HISTOGRAMS.length][];
    QuantileTally tally = new QuantileTally(LEVELS);
    double strength = Math.tanh(epsilon / 2);
    for (int publication = 0; publication < PUBLICATIONS; publication++) {
      for (int i = 0; i < each; i++) {
        boolean isAbove = share(random) > tally.threshold();
        boolean isKept = random.uniform() < (1 + strength) / 2;
        tally.add(isAbove == isKept ? strength : -strength, 0);
      }
      tally.age();
    }
    errors[0] =
        fromTruth(tally.estimates().stream().mapToDouble(QuantileEstimate::value).toArray());
    for (int h = 0; h < HISTOGRAMS.length; h++) {
      errors[1 + h] = fromTruth(histogram(HISTOGRAMS[h], epsilon, each, random));
    }
    return errors;
  }

  private double[] histogram(int classes, double epsilon, int each, SeededRandom random) {
    CategoryLaw law = CategoryWay.HASHED.law(epsilon, classes);
    VoteTally tally = VoteTally.lasting(classes);
    for (int publication = 0; publication < PUBLICATIONS; publication++) {
      for (int i = 0; i < each; i++) {
        int own = Math.min((int) (share(random) * classes), classes - 1);
        tally.add(law, CategoryWay.HASHED.draw(own, epsilon, classes, random), 0);
      }
      tally.age();
    }
    double[] fractions =
        Simplex.nearest(
            tally.estimates().stream().mapToDouble(FractionEstimate::fraction).toArray());
    return Arrays.stream(LEVELS).map(level -> inverse(fractions, level)).toArray();
  }

  /** Where the sum of the fractions reaches a level, as a share of the range. */
  private static double inverse(double[] fractions, double level) {
    double below = 0;
    int j = 0;
    while (j < fractions.length - 1 && below + fractions[j] < level) {
      below += fractions[j++];
    }
    double within = fractions[j] == 0 ? 0 : Math.min(1, (level - below) / fractions[j]);
    return (j + within) / fractions.length;
  }

  /** The delay of any flight, as a share of the range. */
  private double share(SeededRandom random) {
    double minutes = delays[random.below(delays.length)] + random.uniform();
    return Math.max(0, Math.min((minutes - FROM) / (TO - FROM), 1));
  }

  private double[] fromTruth(double[] shares) {
    double[] errors = new double[shares.length];
    for (int level = 0; level < errors.length; level++) {
      errors[level] = FROM + shares[level] * (TO - FROM) - quantile(LEVELS[level]);
    }
    return errors;
  }

  /** The delay below which a share of the flights is, in minutes. */
  double quantile(double level) {
    int at = (int) (level * delays.length);
    int minute = delays[at];
    int first = at;
    while (first > 0 && delays[first - 1] == minute) {
      first--;
    }
    int last = at;
    while (last < delays.length && delays[last] == minute) {
      last++;
    }
    return minute + (level * delays.length - first) / (last - first);
  }
}
