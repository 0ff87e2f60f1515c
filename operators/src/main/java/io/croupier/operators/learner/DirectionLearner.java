package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * The direction: projected online gradient descent in the unit L2 ball with scale-free steps, q <-
 * q - g~ / sqrt(sum ||g~||^2), then q <- q / max(1, ||q||); q stays 0 until the first non-zero
 * gradient.
 *
 * <p>A common factor of all gradients, as in [CO18]'s surrogate, changes nothing.
 *
 * <p>Source: [OP18]; the direction learner of [JO19, Algorithm 1] and [vdH19, Algorithm 2]. [JO19]
 * prints line 5 with the sign of subgradients, for negative subgradients.
 */
final class DirectionLearner implements Serializable {
  private static final double RADIUS = 1;

  State initial(int dimension) {
    return new State(dimension);
  }

  /** Adds {@code magnitude} times the direction in force to the average, then takes one step. */
  void observe(State state, Round round, double magnitude, RunningAverage average) {
    state.squaredNorms.add(round.squaredNorm);
    double squaredNorms = state.squaredNorms.value();
    double step = squaredNorms > 0 ? 1 / Math.sqrt(squaredNorms) : 0;
    state.point.averageAndMove(magnitude, average, round.subgradient, step);
  }

  /** Invariants: squaredNorms is finite and never falls; the point is in the unit ball. */
  static final class State {
    private final BallPoint point;
    private final RunningSum squaredNorms = new RunningSum();

    private State(int dimension) {
      point = new BallPoint(dimension, RADIUS);
    }

    /** Writes {@code factor} times the direction into {@code into}. */
    void copy(double factor, double[] into) {
      point.copy(factor, into);
    }

    /** Returns the L2 norm of the direction. */
    double norm() {
      return point.length();
    }

    void visit(LearnerState.Visitor visitor) {
      squaredNorms.visit(visitor, "squared-norms");
      point.visit(visitor);
    }
  }
}
