package io.croupier.studies;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.Vectors;

/** A baseline: gradient steps from 0, the uniform average of the weights after each step. */
abstract class Descent implements Learner<Descent.State> {
  private final int dimension;

  Descent(int dimension) {
    this.dimension = dimension;
  }

  /** The step size of this round, given the sum of all squared gradient norms, its own included. */
  abstract double stepSize(State state);

  @Override
  public int dimension() {
    return dimension;
  }

  @Override
  public State initial() {
    return new State(dimension);
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
    double[] gradient = round.part(0).sum;
    double share = 1 / round.weight();
    state.squaredNorms += share * share * Vectors.squaredNorm(gradient);
    double step = state.squaredNorms > 0 ? stepSize(state) : 0;
    for (int j = 0; j < dimension; j++) {
      state.weights[j] -= step * share * gradient[j];
      state.average[j] += (state.weights[j] - state.average[j]) / state.round;
    }
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    System.arraycopy(state.weights, 0, out.weights, 0, dimension);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    System.arraycopy(state.average, 0, out.average, 0, dimension);
    out.diagnostics.clear();
  }

  /** Does nothing: a step is the same whatever publication its reports name. */
  @Override
  public void forget(State state, long oldest) {}

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    throw new UnsupportedOperationException("A baseline has no former state");
  }

  /** Weights, their average, and the values that determine step sizes. */
  static final class State implements LearnerState {
    private final double[] weights;
    private final double[] average;
    private long round;
    private double squaredNorms;

    private State(int dimension) {
      weights = new double[dimension];
      average = new double[dimension];
    }

    double squaredNorms() {
      return squaredNorms;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      squaredNorms = visitor.scalar("squared-norms", squaredNorms);
      visitor.vector("weights", weights);
      visitor.vector("average", average);
    }
  }
}
