package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.io.Serializable;

/**
 * The direction: projected online gradient descent in the unit L2 ball with scale-free steps. With
 * g the gradient of a round and delta = max(0, sum over the late parts of &lt;g_j, q_j - q&gt;):
 *
 * <pre>
 *   sqrt N &lt;- delta + sqrt(delta^2 + N + ||g||^2);  q &lt;- q - g / sqrt N;  q &lt;- q / max(1, ||q||)
 * </pre>
 *
 * <p>q stays 0 until the first non-zero gradient. The regret against any unit vector is at most 3
 * sqrt N. A common factor of all gradients, as in [CO18]'s surrogate, changes nothing.
 *
 * <p>Source: [OP18]; the direction learner of [JO19, Algorithm 1] and [vdH19, Algorithm 2], where
 * delta = 0. [JO19] prints line 5 with the sign of subgradients, for negative subgradients. delta:
 * our own, docs/theory/rounds.md, theorem 4.
 */
final class DirectionLearner implements Serializable {

  /** Takes one step. */
  void step(State state, double[] gradient, double delta) {
    double squaredNorm = Math.min(Vectors.squaredNorm(gradient), Double.MAX_VALUE);
    state.squaredNorms.add(squaredNorm);
    double root = Math.sqrt(state.squaredNorms.value());
    if (delta > 0) {
      root = delta + StrictMath.hypot(delta, root);
      state.squaredNorms.add(2 * delta * root);
    }
    if (!(root > 0)) {
      return;
    }
    double[] q = state.direction;
    Vectors.addScaled(-1 / root, gradient, q);
    double norm = Math.sqrt(Vectors.squaredNorm(q));
    if (norm > 1) {
      Vectors.scale(1 / norm, q, q);
      norm = 1;
    }
    state.norm = norm;
  }

  /** Multiplies N by the square of beta, see {@link Memory}. */
  void discount(State state, double beta) {
    state.squaredNorms.scale(beta * beta);
  }

  /**
   * Invariants: squaredNorms is finite, and falls by discounts alone; ||q|| is at most 1 up to
   * rounding.
   */
  static final class State {
    final double[] direction;
    private final RunningSum squaredNorms = new RunningSum();
    private double norm;

    State(int dimension) {
      direction = new double[dimension];
    }

    /** Returns ||q||. */
    double norm() {
      return norm;
    }

    /** Returns N. */
    double squaredNorms() {
      return squaredNorms.value();
    }

    void visit(LearnerState.Visitor visitor) {
      squaredNorms.visit(visitor, "squared-norms");
      norm = visitor.scalar("direction-norm", norm);
      visitor.vector("direction", direction);
    }
  }
}
