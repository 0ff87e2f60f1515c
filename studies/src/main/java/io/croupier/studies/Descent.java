package io.croupier.studies;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;

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
  public boolean bets() {
    return false;
  }

  @Override
  public double direction(State state, double[] direction) {
    throw new UnsupportedOperationException("a descent doesn't bet on a direction");
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
    state.squaredNorms += round.squaredNorm;
    double step = state.squaredNorms > 0 ? stepSize(state) : 0;
    double square = 0;
    for (int j = 0; j < dimension; j++) {
      state.weights[j] -= step * round.subgradient[j];
      state.average[j] += (state.weights[j] - state.average[j]) / state.round;
      square += state.weights[j] * state.weights[j];
    }
    state.farthest = Math.max(state.farthest, Math.sqrt(square));
  }

  @Override
  public void publish(State state, Iterate out) {
    System.arraycopy(state.weights, 0, out.weights, 0, dimension);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    System.arraycopy(state.average, 0, out.average, 0, dimension);
    out.diagnostics.clear();
  }

  /** Weights, their average, and the values that determine step sizes. */
  static final class State implements LearnerState {
    private final double[] weights;
    private final double[] average;
    private long round;
    private double squaredNorms;

    /** Largest norm of the weights so far. */
    private double farthest;

    private State(int dimension) {
      weights = new double[dimension];
      average = new double[dimension];
    }

    double squaredNorms() {
      return squaredNorms;
    }

    double farthest() {
      return farthest;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      squaredNorms = visitor.scalar("squared-norms", squaredNorms);
      farthest = visitor.scalar("farthest", farthest);
      visitor.vector("weights", weights);
      visitor.vector("average", average);
    }
  }
}
