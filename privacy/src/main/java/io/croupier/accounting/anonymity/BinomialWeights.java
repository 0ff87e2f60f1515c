package io.croupier.accounting.anonymity;

import java.util.Arrays;

/**
 * The probabilities of a binomial distribution around its mode, by the ratios of neighbouring ones.
 * What it omits has a probability of at most {@link #OMITTED}, by Bernstein's inequality. O(sqrt(n
 * q (1 - q))) values; reuses its memory.
 */
final class BinomialWeights {
  static final double OMITTED = 1e-27;

  private static final double LOG = StrictMath.log(2 / OMITTED);

  /** Far less than is omitted at the ends. */
  private static final double VANISHED = 1e-40;

  /** The number of successes that the first value belongs to. */
  int first;

  int size;
  double[] values = new double[64];
  private double[] tails = new double[64];

  /**
   * Computes the distribution of the number of successes.
   *
   * @param trials n, at least 0
   * @param probability q of a success
   */
  void set(int trials, double probability) {
    if (trials == 0 || !(probability > 0)) {
      certain(0);
    } else if (probability >= 1) {
      certain(trials);
    } else {
      spread(trials, probability);
    }
  }

  private void certain(int successes) {
    first = successes;
    size = 1;
    values[0] = 1;
  }

  /**
   * Computes the distribution for a number of trials, on all values that matter for any number of
   * trials down to another.
   */
  void setWide(int trials, int fewest, double probability) {
    if (trials == 0 || !(probability > 0)) {
      certain(0);
    } else if (probability >= 1) {
      throw new IllegalArgumentException("probability is " + probability + "; it must be below 1");
    } else {
      fill(trials, probability, lowest(fewest, probability), highest(trials, probability));
    }
  }

  private void spread(int trials, double probability) {
    fill(trials, probability, lowest(trials, probability), highest(trials, probability));
  }

  private static double reach(int trials, double probability) {
    double variance = trials * probability * (1 - probability);
    return LOG / 3 + Math.sqrt(LOG * LOG / 9 + 2 * variance * LOG);
  }

  private static int lowest(int trials, double probability) {
    return (int) Math.max(0, Math.floor(trials * probability - reach(trials, probability)));
  }

  private static int highest(int trials, double probability) {
    return (int) Math.min(trials, Math.ceil(trials * probability + reach(trials, probability)));
  }

  private void fill(int trials, double probability, int from, int last) {
    first = from;
    int mode = (int) Math.min(last, Math.max(first, Math.floor((trials + 1.0) * probability)));
    resize(last - first + 1);
    double odds = probability / (1 - probability);
    double weight = 1;
    double sum = 1;
    values[mode - first] = 1;
    for (int k = mode; k < last; k++) {
      weight *= (trials - k) * odds / (k + 1);
      values[k + 1 - first] = weight;
      sum += weight;
    }
    weight = 1;
    for (int k = mode; k > first; k--) {
      weight *= k / ((trials - k + 1) * odds);
      values[k - 1 - first] = weight;
      sum += weight;
    }
    for (int i = 0; i < size; i++) {
      values[i] /= sum;
    }
  }

  private void resize(int newSize) {
    size = newSize;
    if (values.length <= size) {
      values = Arrays.copyOf(values, 2 * size + 1);
    }
  }

  /** From n trials of probability 1/2 to n + 1, without what is too far from the mean. */
  void addFairTrial() {
    resize(size + 1);
    values[size - 1] = 0;
    for (int i = size - 1; i > 0; i--) {
      values[i] = (values[i] + values[i - 1]) / 2;
    }
    values[0] /= 2;
    if (size > 1 && values[size - 1] < VANISHED) {
      size--;
    }
    if (size > 1 && values[0] < VANISHED) {
      System.arraycopy(values, 1, values, 0, size - 1);
      first++;
      size--;
    }
  }

  /** From n trials to n - 1, on the same values. */
  void removeTrial(int trials, double probability) {
    if (size == 1 && first == 0) {
      return;
    }
    double factor = 1 / (trials * (1 - probability));
    for (int i = 0; i < size; i++) {
      values[i] *= Math.max(0, trials - first - i) * factor;
    }
  }

  /** The probabilities of at least as many successes as at each index; not to be kept. */
  double[] tails() {
    if (tails.length < size) {
      tails = new double[2 * size];
    }
    double sum = 0;
    for (int i = size - 1; i >= 0; i--) {
      sum += values[i];
      tails[i] = sum;
    }
    return tails;
  }

  /**
   * Takes another distribution, each value moved to multiples of a step with the same mean: means
   * of convex functions can only grow. The value at index i then belongs to first + i step.
   */
  void setCoarse(BinomialWeights other, int step) {
    first = other.first - Math.floorMod(other.first, step);
    int shift = other.first - first;
    resize((other.size - 1 + shift) / step + 2);
    Arrays.fill(values, 0, size, 0);
    double share = 1.0 / step;
    int i = 0;
    for (int cell = 0; i < other.size; cell++) {
      int from = i + shift - cell * step;
      double sum = 0;
      double up = 0;
      for (int k = from; k < step && i < other.size; k++) {
        sum += other.values[i];
        up += other.values[i] * k;
        i++;
      }
      up *= share;
      values[cell] += Math.max(0, sum - up);
      values[cell + 1] += up;
    }
  }

  /** The standard deviation of a distribution. */
  static double deviation(int trials, double probability) {
    return Math.sqrt(trials * probability * (1 - probability));
  }
}
