package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.List;

/**
 * The noise of a central model whose gradients are all zero, with plain nodes of standard deviation
 * 1 in 256 coordinates and a learning rate of 1: every update shows exactly the noise of its
 * prefix.
 */
final class NoiseTree {
  static final int DIMENSION = 256;

  /**
   * Quantiles of chi-square with 256 degrees of freedom at 1e-12 on each side (Wilson and
   * Hilferty): one of a thousand nodes is outside by chance once in 5e8 runs. A node that was drawn
   * twice shows about 3 * 256.
   */
  static final double LEAST_SQUARES = 127;

  private static final double MOST_SQUARES = 450;

  /**
   * In standard deviations. A pair exceeds this by chance with probability 2.5e-14, by the law of a
   * scalar product of two normal vectors, whose tails are heavier than the normal law's: one of 5e5
   * pairs of a thousand nodes once in 8e7 runs. One node used in place of two would give 16.
   */
  private static final double MOST_CORRELATION = 8;

  private NoiseTree() {}

  /**
   * Fails unless the updates, from round 0 on, contain every round once, and the noise of one
   * single tree.
   *
   * @param reportsPerRound the model's divisor of sums
   * @param what description of the updates, for messages
   */
  static void check(List<ModelUpdate> updates, int reportsPerRound, String what) {
    List<double[]> noise = new ArrayList<>();
    for (int round = 0; round < updates.size(); round++) {
      assertThat(updates.get(round).getRound()).as("each once, %s", what).isEqualTo(round);
      assertThat(updates.get(round).getDiagnosticsMap()).isEmpty();
      noise.add(noise(updates.get(round), reportsPerRound));
    }
    assertThat(dot(noise.get(0), noise.get(0))).as("initial weights").isZero();
    List<double[]> nodes = new ArrayList<>();
    for (int round = 1; round < noise.size(); round++) {
      double[] node = difference(noise.get(round), noise.get(round - Integer.lowestOneBit(round)));
      assertThat(dot(node, node))
          .as("node that ends with round %d, %s", round, what)
          .isBetween(LEAST_SQUARES, MOST_SQUARES);
      nodes.add(node);
    }
    for (int i = 0; i < nodes.size(); i++) {
      for (int j = 0; j < i; j++) {
        assertThat(dot(nodes.get(i), nodes.get(j)) / Math.sqrt(DIMENSION))
            .as("nodes that end with rounds %d and %d, %s", j + 1, i + 1, what)
            .isBetween(-MOST_CORRELATION, MOST_CORRELATION);
      }
    }
  }

  /** The noise of an update's prefix. */
  static double[] noise(ModelUpdate update, int reportsPerRound) {
    return update.getWeightsList().stream()
        .mapToDouble(weight -> -reportsPerRound * weight)
        .toArray();
  }

  static double[] difference(double[] a, double[] b) {
    double[] difference = a.clone();
    for (int i = 0; i < a.length; i++) {
      difference[i] -= b[i];
    }
    return difference;
  }

  static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
