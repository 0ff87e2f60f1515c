package io.croupier.operators.learner;

import java.util.Arrays;

/** Parts of rounds, and the weights of rounds. */
final class TestRounds {
  private TestRounds() {}

  /** Adds {@code reports} dense reports of weight 1, of which {@code mean} is the mean. */
  static Round.Part add(
      Round round, long publication, int reports, double bound, double[] mean, double variance) {
    Round.Part part = round.add(publication);
    part.weight = reports;
    part.squaredWeight = reports;
    part.denseWeight = reports;
    part.denseSquaredWeight = reports;
    part.gradientBound = bound;
    part.variance = reports * variance;
    part.count = mean.length;
    part.sum = new double[mean.length];
    Arrays.setAll(part.sum, i -> reports * mean[i]);
    round.reports += reports;
    round.largestWeight = 1;
    return part;
  }

  /** Adds one sparse report of weight 1. */
  static Round.Part addSparse(Round round, long publication, int[] coordinates, double[] values) {
    Round.Part part = add(round, publication, 1, 1, values, 0);
    part.coordinates = coordinates;
    part.touching = new double[values.length];
    part.touchingSquared = new double[values.length];
    Arrays.fill(part.touching, 1);
    Arrays.fill(part.touchingSquared, 1);
    part.denseWeight = 0;
    part.denseSquaredWeight = 0;
    return part;
  }

  /** The weights of rounds, computed directly. */
  static final class Weighting {
    private double mean;
    private double reports;
    private double largestMean;
    private double first;
    private int rounds;

    /** Lambda. */
    double total;

    /** Returns lambda of the next round. */
    double next(double weight) {
      reports += weight;
      if (rounds++ == 0) {
        first = weight;
        mean = weight;
        largestMean = weight;
        total = 1;
        return 1;
      }
      double lambda = Math.min(weight / mean, 2) * largestMean / first;
      mean =
          weight < 2 * mean
              ? mean + (weight - mean) / rounds
              : Math.min(2 * mean, reports / rounds);
      largestMean = Math.max(largestMean, mean);
      total += lambda;
      return lambda;
    }
  }
}
