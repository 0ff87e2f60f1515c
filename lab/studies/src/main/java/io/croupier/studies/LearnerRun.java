package io.croupier.studies;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.Vectors;
import java.util.Arrays;

/**
 * One run of a learner that publishes after every round: every report is evaluated at the weights
 * of the round that it enters.
 */
final class LearnerRun {
  private final LabelledLearner candidate;
  private final Learner<LearnerState> learner;
  private final LearnerState state;
  private final Round round = new Round();
  private final Iterate iterate;
  private final double[] release;
  private final double[] sum;
  private long publication;

  /** Takes the learner's initial state. */
  LearnerRun(LabelledLearner candidate) {
    this.candidate = candidate;
    int dimension = candidate.learner().dimension();
    learner = candidate.learner();
    state = learner.initial();
    iterate = new Iterate(dimension);
    release = new double[dimension];
    sum = new double[dimension];
    learner.publish(state, publication, iterate);
  }

  /** Adds a person's noisy subgradient to the open round. */
  void report(Population population, Person person, double[] noise) {
    double prediction = Vectors.dot(person.x, iterate.weights);
    double slope = population.slope(prediction, person.target);
    for (int j = 0; j < release.length; j++) {
      release[j] = slope * person.x[j] + noise[j];
    }
    add(release);
  }

  /** The weights at which the reports of the open round are evaluated; not to be changed. */
  double[] weights() {
    return iterate.weights;
  }

  /** Adds what a person released to the open round. */
  void add(double[] report) {
    Vectors.add(report, sum);
  }

  /** Closes the round of this many reports, and opens the next. */
  void step(int reports) {
    round.clear();
    round.reports = reports;
    round.largestWeight = 1;
    Round.Part part = round.add(publication);
    part.weight = reports;
    part.squaredWeight = reports;
    part.denseWeight = reports;
    part.denseSquaredWeight = reports;
    part.variance = reports * candidate.directionalVariance();
    part.gradientBound = candidate.gradientBound();
    part.sum = sum;
    learner.step(state, round);
    Arrays.fill(sum, 0);
    publication++;
    learner.publish(state, publication, iterate);
    learner.forget(state, publication);
  }

  /** Computes the risk of the last publication. */
  Trial.Risk risk(Population population) {
    return new Trial.Risk(population.excess(iterate.average), population.excess(iterate.weights));
  }

  /** Returns a diagnostic of the last publication. */
  double diagnostic(String name) {
    return iterate.diagnostics.get(name);
  }

  /** Returns the published average, not to be changed. */
  double[] average() {
    return iterate.average;
  }
}
