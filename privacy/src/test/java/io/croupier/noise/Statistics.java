package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * Statistical assertions. With fixed seeds each either always holds or never; with a new seed in
 * every run, each would raise a false alarm with a probability of at most {@link #FALSE_ALARM}. The
 * bounds hold for every number of draws: none is asymptotic. The tests of this package make fewer
 * than 800 of them, so that a run of all would raise one with a probability below 1e-6.
 *
 * <p>Sources: Dvoretzky, Kiefer and Wolfowitz, with Massart's constant; Bernstein; Agrawal, IEEE
 * Trans. Inf. Theory 2020, Theorem 1.2.
 */
public final class Statistics {
  /** False-alarm probability of one assertion. */
  public static final double FALSE_ALARM = 1.25e-9;

  /** -ln of that probability, shared by two tails. */
  private static final double LOG = Math.log(2 / FALSE_ALARM);

  private Statistics() {}

  /** A reproducible stream of bits, which protects nothing. */
  public static SecureBits seeded(int seed) {
    byte[] key = new byte[32];
    key[0] = (byte) seed;
    key[1] = (byte) (seed >> 8);
    return SecureBits.insecureForTestsOnly(key);
  }

  /** Asserts that the sample has a law (by Kolmogorov and Smirnov's distance); sorts the sample. */
  public static void assertLaw(double[] sample, DoubleUnaryOperator distributionFunction) {
    assertLaw("law", sample, distributionFunction, 0);
  }

  /**
   * The same, with a tolerance.
   *
   * @param slack tolerance for the deviation of the law itself
   */
  public static void assertLaw(
      String what, double[] sample, DoubleUnaryOperator distributionFunction, double slack) {
    Arrays.sort(sample);
    double n = sample.length;
    double distance = 0;
    for (int i = 0; i < sample.length; i++) {
      double p = distributionFunction.applyAsDouble(sample[i]);
      distance = Math.max(distance, Math.max((i + 1) / n - p, p - i / n));
    }
    assertThat(distance)
        .as("distance of %s, of %s draws", what, sample.length)
        .isLessThan(Math.sqrt(LOG / (2 * n)) + slack);
  }

  /**
   * Asserts that nonnegative numbers have a given mean. Bernstein's bound requires bounded numbers:
   * the lower tail needs only the mean, and for the upper tail numbers are truncated, which can
   * only lower their mean.
   *
   * @param variance the variance of one number, or an upper bound
   * @param slack tolerance for the deviation of the mean itself
   */
  public static void assertMean(
      String what, double[] sample, double mean, double variance, double slack) {
    int n = sample.length;
    double cut = mean + Math.sqrt(variance * n / LOG);
    double sum = 0;
    double cutSum = 0;
    for (double x : sample) {
      sum += x;
      cutSum += Math.min(x, cut);
    }
    assertThat(sum / n)
        .as("mean of %s, of %s draws", what, n)
        .isGreaterThanOrEqualTo(mean - bernstein(variance, mean, n) - slack);
    assertThat(cutSum / n)
        .as("cut mean of %s, of %s draws", what, n)
        .isLessThanOrEqualTo(mean + bernstein(variance, cut, n) + slack);
  }

  /**
   * Asserts that numbers of a law symmetric about 0 have mean 0; they are truncated on both sides.
   *
   * @param variance the variance of one number, or an upper bound
   */
  public static void assertCentred(String what, double[] sample, double variance) {
    int n = sample.length;
    double cut = Math.sqrt(variance * n / LOG);
    double sum = 0;
    for (double x : sample) {
      sum += Math.max(-cut, Math.min(cut, x));
    }
    assertThat(Math.abs(sum / n))
        .as("mean of %s, of %s draws", what, n)
        .isLessThanOrEqualTo(bernstein(variance, cut, n));
  }

  /**
   * Bernstein's bound on the excess of a mean of {@code n} numbers, each of which exceeds its
   * expectation by at most {@code range}.
   */
  private static double bernstein(double variance, double range, int n) {
    return Math.sqrt(2 * variance * LOG / n) + range * LOG / (3 * n);
  }

  /**
   * Asserts that draws fall on places with given probabilities: the likelihood-ratio chi-square
   * statistic, halved, is n times the relative entropy of frequencies and probabilities; k places
   * exceed t > k - 1 with a probability of at most exp(-t) (e t / (k - 1))^(k - 1).
   *
   * @param probabilities with sum 1
   */
  public static void assertFrequencies(String what, long[] observed, double[] probabilities) {
    double count = Arrays.stream(observed).sum();
    double t = 0;
    for (int i = 0; i < observed.length; i++) {
      t += observed[i] == 0 ? 0 : observed[i] * Math.log(observed[i] / (count * probabilities[i]));
    }
    double freedom = observed.length - 1.0;
    double logBound = t <= freedom ? 0 : -t + freedom * (1 + Math.log(t / freedom));
    assertThat(logBound)
        .as("ln(p) of %s, %s draws in %s places", what, count, observed.length)
        .isGreaterThan(Math.log(FALSE_ALARM));
  }

  /**
   * Asserts that an event of a probability occurred as often as expected, but for 5.5 standard
   * deviations: of 40,000 draws, a false alarm has a probability of 4e-8.
   */
  public static void assertFrequency(String what, long count, double probability, long draws) {
    double deviation = Math.sqrt(probability * (1 - probability) * draws);
    assertThat((count - probability * draws) / deviation)
        .as("%s: %s of %s draws, of probability %s", what, count, draws, probability)
        .isBetween(-5.5, 5.5);
  }

  /**
   * Asserts the mean and the variance of numbers of at most a size: Bernstein, and Hoeffding for
   * the square.
   *
   * @param slack tolerance for the deviation of the law itself
   */
  public static void assertMoments(
      String what, double[] sample, double mean, double variance, double most, double slack) {
    double n = sample.length;
    double average = Arrays.stream(sample).sum() / n;
    assertThat(average)
        .as("mean %s", what)
        .isCloseTo(
            mean, within(Math.sqrt(2 * variance * LOG / n) + 2 * most * LOG / (3 * n) + slack));
    double square = Arrays.stream(sample).map(x -> (x - mean) * (x - mean)).sum() / n;
    // A square is at most (M + 1)^2, so its variance is at most that times its mean.
    double range = (most + 1) * (most + 1);
    assertThat(square)
        .as("variance %s", what)
        .isCloseTo(
            variance,
            within(Math.sqrt(2 * range * variance * LOG / n) + 2 * range * LOG / (3 * n) + slack));
  }

  public static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
