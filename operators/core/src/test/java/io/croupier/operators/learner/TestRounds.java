package io.croupier.operators.learner;

import java.util.Arrays;

/** Creates rounds of one timely report, like an owner of a learner that publishes every round. */
final class TestRounds {
  private TestRounds() {}

  /** Publishes, and returns a round of one report that names the publication. */
  static <S extends LearnerState> Round fresh(
      Learner<S> learner, S state, double[] subgradient, double directionalVariance) {
    return ofBound(1, learner, state, subgradient, directionalVariance);
  }

  /** The same, of a model with the gradient bound {@code bound}. */
  static <S extends LearnerState> Round ofBound(
      double bound, Learner<S> learner, S state, double[] subgradient, double variance) {
    publish(learner, state, new Iterate(learner.dimension()));
    Round round = new Round();
    add(round, state.round(), 1, bound, subgradient, variance);
    return round;
  }

  /** Makes a publication that is numbered by the steps so far; no report may name another one. */
  static <S extends LearnerState> void publish(Learner<S> learner, S state, Iterate out) {
    learner.forget(state, Long.MAX_VALUE);
    learner.publish(state, state.round(), out);
  }

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
    for (int i = 0; i < mean.length; i++) {
      part.sum[i] = reports * mean[i];
    }
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
