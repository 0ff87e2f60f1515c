package io.croupier.studies;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.Vectors;
import java.util.Arrays;

/**
 * One run of a learner: every report is evaluated at the weights of the round that it enters.
 *
 * <p>The weights of a betting learner are its magnitude times its direction, read from its state: a
 * publication would also evaluate diagnostics, at many times the cost of a step.
 */
final class LearnerRun {
  private final LabelledLearner candidate;
  private final Learner<LearnerState> learner;
  private final LearnerState state;
  private final Round round;
  private final Iterate iterate;
  private final double[] direction;
  private final double[] release;
  private final Magnitude magnitude = new Magnitude();

  /** Takes the learner's initial state. */
  LearnerRun(LabelledLearner candidate) {
    this.candidate = candidate;
    int dimension = candidate.learner().dimension();
    learner = candidate.learner();
    state = learner.initial();
    round = new Round(dimension);
    iterate = new Iterate(dimension);
    direction = new double[dimension];
    release = new double[dimension];
    round.gradientBound = candidate.gradientBound();
    readWeights();
  }

  /** Sets the gradient bound of the open round and of later ones. */
  void bound(double gradientBound) {
    round.gradientBound = gradientBound;
  }

  /** The diagnostic of this name, of a learner that has it. */
  double diagnostic(String name) {
    learner.describe(state, iterate);
    return iterate.diagnostics.get(name);
  }

  /** Adds a person's noisy subgradient to the open round. */
  void report(Population population, Person person, double[] noise) {
    double prediction = Vectors.dot(person.x, iterate.weights);
    double slope = person.importance * population.slope(prediction, person.target);
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
    double norm = Math.sqrt(Vectors.squaredNorm(report));
    Vectors.addScaled(candidate.inUnits(norm), report, round.subgradient);
  }

  /** Closes the round with the mean of its reports, and opens the next. */
  void step(int reports) {
    step(reports, candidate.directionalVariance());
  }

  /**
   * The same, of reports that declare other noise than the learner's.
   *
   * @param directionalVariance of each report
   */
  void step(int reports, double directionalVariance) {
    if (reports > 1) {
      Vectors.scale(1.0 / reports, round.subgradient, round.subgradient);
    }
    round.reports = reports;
    round.squaredNorm = Vectors.squaredNorm(round.subgradient);
    round.directionalVariance = directionalVariance / reports;
    round.coin = learner.bets() ? Vectors.dot(direction, round.subgradient) : 0;
    learner.step(state, round);
    Arrays.fill(round.subgradient, 0);
    readWeights();
  }

  private void readWeights() {
    if (learner.bets()) {
      learner.direction(state, direction);
      state.visit(magnitude);
      Vectors.scale(magnitude.value, direction, iterate.weights);
    } else {
      learner.publish(state, iterate);
    }
  }

  /** Publishes, and computes the risk of the publication. */
  Trial.Risk risk(Population population) {
    learner.publish(state, iterate);
    return new Trial.Risk(population.excess(iterate.average), population.excess(iterate.weights));
  }

  /** Publishes, and returns the published average, not to be changed. */
  double[] average() {
    learner.publish(state, iterate);
    return iterate.average;
  }

  /**
   * How far a learner goes along its direction. Marks the radius as published, which limits its
   * growth: the weights of every round are used, whether or not risks are measured.
   */
  private static final class Magnitude implements LearnerState.Visitor {
    private double value;

    @Override
    public double scalar(String name, double shown) {
      if (name.equals("magnitude") || name.equals("radius")) {
        value = shown;
      }
      // The radius is visited before.
      return name.equals("published-radius") ? value : shown;
    }

    @Override
    public long count(String name, long shown) {
      return shown;
    }

    @Override
    public void vector(String name, double[] shown) {}

    @Override
    public void counts(String name, long[] shown) {}
  }
}
