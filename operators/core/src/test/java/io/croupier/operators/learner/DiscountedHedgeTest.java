package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Theorem 8 of docs/theory/rounds.md. */
class DiscountedHedgeTest {
  private static final int K = 4;
  private static final double LN_K = Math.log(K);

  /** Losses of the experts in a round, given their shares. */
  private enum Losses {
    GAUSSIAN,

    /** One expert is a little better. */
    DRIFT,

    /** The expert with the largest share loses. */
    ADVERSARY,
    HEAVY_TAILS,
    GROWING,
    EQUAL;

    double[] of(int round, double[] shares, Random random) {
      return switch (this) {
        case GAUSSIAN -> random.doubles(K).map(u -> random.nextGaussian()).toArray();
        case DRIFT -> plus(2, -0.2, GAUSSIAN.of(round, shares, random));
        case ADVERSARY -> plus(largest(shares), 1, new double[K]);
        case HEAVY_TAILS ->
            random.doubles(K).map(u -> Math.pow(random.nextGaussian(), 7)).toArray();
        case GROWING -> plus(largest(shares), Math.pow(1.05, round), new double[K]);
        case EQUAL -> {
          double each = random.nextGaussian();
          yield DoubleStream.generate(() -> each).limit(K).toArray();
        }
      };
    }

    private static double[] plus(int expert, double loss, double[] losses) {
      losses[expert] += loss;
      return losses;
    }
  }

  private static int largest(double[] values) {
    int largest = 0;
    for (int k = 1; k < values.length; k++) {
      largest = values[k] > values[largest] ? k : largest;
    }
    return largest;
  }

  private static double mean(double[] shares, double[] losses) {
    double mean = 0;
    for (int k = 0; k < K; k++) {
      mean += shares[k] * losses[k];
    }
    return mean;
  }

  /**
   * After every round, with rounds of several sizes: against each expert, the mixture's discounted
   * loss is at most 2 Delta more, also where its loss is that of other shares than the present
   * ones; where it is that of the present shares, Delta is at most as stated.
   */
  @ParameterizedTest
  @EnumSource
  void losesAtMostTwiceTheGapsMoreThanAnyExpert(Losses law) {
    for (int delay = 0; delay < 4; delay++) {
      for (double halfLife : new double[] {3, 80, Double.POSITIVE_INFINITY}) {
        Random random = new Random(17 + delay);
        DiscountedHedge hedge = new DiscountedHedge(K);
        double[][] played = new double[500][];
        double[] regrets = new double[K];
        double variance = 0;
        double range = 0;
        for (int t = 0; t < played.length; t++) {
          double[] losses = law.of(t, hedge.shares(), random);
          played[t] = hedge.shares().clone();
          double loss = mean(played[Math.max(0, t - delay)], losses);
          double beta = new Memory(halfLife).remainder(1 + t % 3);
          for (int k = 0; k < K; k++) {
            regrets[k] = beta * (regrets[k] + loss - losses[k]);
            variance += played[t][k] * Math.pow(losses[k] - loss, 2);
          }
          variance *= beta * beta;
          double spread =
              Arrays.stream(losses).max().orElseThrow() - Arrays.stream(losses).min().orElseThrow();
          range = beta * Math.max(range, spread);
          hedge.observe(losses, loss, beta);
          String as = "delay %d, half-life %s, round %d".formatted(delay, halfLife, t);
          double slack = 1e-9 * (hedge.gaps() + range) + 1e-290;
          assertThat(Arrays.stream(regrets).max().orElseThrow())
              .as(as)
              .isLessThanOrEqualTo(2 * hedge.gaps() + slack);
          if (delay == 0) {
            double bound = Math.sqrt(variance * LN_K) + (1 + 2 * LN_K / 3) * range;
            assertThat(hedge.gaps()).as(as).isLessThanOrEqualTo(bound + slack);
          }
        }
        assertThat(Arrays.stream(hedge.shares()).sum()).isCloseTo(1, within(1e-15 * K));
      }
    }
  }

  /** By the definition, with rates and sums that need no care. */
  @Test
  void sharesAreExponentialInTheDiscountedLosses() {
    DiscountedHedge hedge = new DiscountedHedge(K);
    Random random = new Random(5);
    double[] sums = new double[K];
    double gaps = 0;
    double[] shares = {0.25, 0.25, 0.25, 0.25};
    for (int t = 0; t < 50; t++) {
      assertThat(hedge.shares()).containsExactly(shares, within(1e-12));
      double[] losses = Losses.DRIFT.of(t, shares, random);
      double loss = mean(shares, losses);
      double gap = loss - Arrays.stream(losses).min().orElseThrow();
      if (t > 0) {
        double rate = LN_K / gaps;
        double[] exponentials = Arrays.stream(losses).map(x -> Math.exp(-rate * x)).toArray();
        gap = loss + Math.log(mean(shares, exponentials)) / rate;
      }
      gaps = 0.9 * (gaps + gap);
      double rate = LN_K / gaps;
      double total = 0;
      for (int k = 0; k < K; k++) {
        sums[k] = 0.9 * (sums[k] + losses[k] - loss);
        total += Math.exp(-rate * sums[k]);
      }
      for (int k = 0; k < K; k++) {
        shares[k] = Math.exp(-rate * sums[k]) / total;
      }
      hedge.observe(losses, loss, 0.9);
      assertThat(hedge.gaps()).isCloseTo(gaps, within(1e-12 * gaps));
    }
    assertThat(largest(shares)).isEqualTo(2);
  }

  @Test
  void anotherUnitOfTheLossesChangesNothing() {
    for (int exponent : new int[] {-300, -7, 40, 900}) {
      DiscountedHedge plain = new DiscountedHedge(K);
      DiscountedHedge scaled = new DiscountedHedge(K);
      Random random = new Random(6);
      for (int t = 0; t < 200; t++) {
        double[] losses = Losses.GAUSSIAN.of(t, plain.shares(), random);
        double loss = mean(plain.shares(), losses);
        plain.observe(losses, loss, 0.97);
        scaled.observe(
            Arrays.stream(losses).map(x -> Math.scalb(x, exponent)).toArray(),
            Math.scalb(loss, exponent),
            0.97);
        assertThat(scaled.shares()).containsExactly(plain.shares(), within(1e-12));
      }
    }
  }

  @Test
  void neverNaN() {
    for (double[] scales :
        new double[][] {{1e304}, {1e-320}, {1e304, 1e-320, 0}, {0, 1e-320}, {1, 1e304}, {0}}) {
      DiscountedHedge hedge = new DiscountedHedge(K);
      Random random = new Random(8);
      for (int t = 0; t < 3_000; t++) {
        double[] losses = new double[K];
        for (int k = 0; k < K; k++) {
          losses[k] = scales[t % scales.length] * (random.nextDouble() - 0.5);
        }
        hedge.observe(losses, mean(hedge.shares(), losses), t % 2 == 0 ? 1 - 1e-12 : 0.9);
        for (double share : hedge.shares()) {
          assertThat(share).as("scales %s", Arrays.toString(scales)).isBetween(0.0, 1.0);
        }
        assertThat(Arrays.stream(hedge.shares()).sum()).isCloseTo(1, within(1e-14));
        assertThat(hedge.gaps()).isFinite().isGreaterThanOrEqualTo(0);
      }
    }
  }

  @Test
  void aRestoredStateHasTheSameShares() {
    DiscountedHedge hedge = new DiscountedHedge(K);
    Random random = new Random(9);
    for (int t = 0; t < 20; t++) {
      double[] losses = Losses.DRIFT.of(t, hedge.shares(), random);
      hedge.observe(losses, mean(hedge.shares(), losses), 0.9);
    }
    Map<String, byte[]> store = new HashMap<>();
    hedge.visit(StateChunks.writer(store::put));
    DiscountedHedge restored = new DiscountedHedge(K);
    restored.visit(StateChunks.reader(store::get));
    assertThat(restored.shares()).containsExactly(hedge.shares());
    assertThat(restored.gaps()).isEqualTo(hedge.gaps());
  }
}
