package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.numbers.gamma.RegularizedGamma;

/**
 * Statistical assertions. With fixed seeds each either always holds or never; were the seed new on
 * every run, each would raise a false alarm with the probability stated here.
 */
final class Statistics {

  private Statistics() {}

  /** A reproducible stream of bits. */
  static SecureBits seeded(int seed) {
    byte[] key = new byte[32];
    key[0] = (byte) seed;
    key[1] = (byte) (seed >> 8);
    return new SecureBits(key);
  }

  /**
   * Kolmogorov-Smirnov, at 1e-8 (Dvoretzky, Kiefer and Wolfowitz, with Massart's constant): sorts
   * the sample.
   */
  static void assertLaw(double[] sample, DoubleUnaryOperator distributionFunction) {
    Arrays.sort(sample);
    double n = sample.length;
    double distance = 0;
    for (int i = 0; i < sample.length; i++) {
      double p = distributionFunction.applyAsDouble(sample[i]);
      distance = Math.max(distance, Math.max((i + 1) / n - p, p - i / n));
    }
    assertThat(distance).as("distance of laws").isLessThan(Math.sqrt(Math.log(2 / 1e-8) / (2 * n)));
  }

  /**
   * The mean of a sample, within 6.5 standard deviations (8e-11 for a normal mean; the samples are
   * large enough for the sums of what is tested to be nearly so).
   *
   * @param variance of one value, as it ought to be
   */
  static void assertMean(double mean, double expected, double variance, int count) {
    assertThat((mean - expected) / Math.sqrt(variance / count))
        .as("standard deviations that mean %s is off %s", mean, expected)
        .isBetween(-6.5, 6.5);
  }

  /**
   * Pearson's chi-square at 1e-8, every place expecting at least 10.
   *
   * @param probabilities with sum 1
   */
  static void assertFrequencies(long[] observed, double[] probabilities) {
    double count = Arrays.stream(observed).sum();
    double statistic = 0;
    for (int i = 0; i < observed.length; i++) {
      double expected = count * probabilities[i];
      assertThat(expected).as("expected frequency at %d", i).isGreaterThan(10);
      statistic += (observed[i] - expected) * (observed[i] - expected) / expected;
    }
    assertThat(RegularizedGamma.Q.value((observed.length - 1) / 2.0, statistic / 2))
        .as("p-value of a chi-square of %s in %d places", statistic, observed.length)
        .isGreaterThan(1e-8);
  }

  static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  /** A release in units of the gradient. */
  static double[] values(Randomiser randomiser, double[] gradient) {
    int[] steps = randomiser.randomise(gradient);
    double[] values = new double[steps.length];
    for (int i = 0; i < steps.length; i++) {
      values[i] = Math.scalb((double) steps[i], randomiser.gridExponent());
    }
    return values;
  }
}
