package io.croupier.operators.model;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;

/**
 * The weights of a model's last publication, in its iterate. They are part of the state, unless the
 * learner's own state determines them.
 */
final class PublishedWeights {
  private static final String EXIST = "has-published-weights";
  private static final String WEIGHTS = "published-weights";

  private final Learner<LearnerState> learner;
  private final double[] weights;
  private boolean exist;
  private boolean unsaved;

  /** Creates an instance without a publication, whose weights {@code iterate} will have. */
  PublishedWeights(Learner<LearnerState> learner, Iterate iterate) {
    this.learner = learner;
    weights = iterate.weights;
  }

  /** Returns whether there are weights; not if an earlier release published them. */
  boolean exist() {
    return exist;
  }

  /** Records that the iterate has the weights of a new publication. */
  void changed() {
    exist = true;
    unsaved = true;
  }

  /** Passes the weights to a visitor if they changed since the last call. */
  void save(LearnerState.Visitor visitor) {
    if (unsaved) {
      visitor.count(EXIST, 1);
      if (!learner.remembersPublished()) {
        visitor.vector(WEIGHTS, weights);
      }
      unsaved = false;
    }
  }

  /**
   * Restores the weights, after the learner's state.
   *
   * @param state null if it is that of an earlier release: then the weights are the learner's only
   *     from the next publication on
   */
  void restore(LearnerState.Visitor visitor, LearnerState state) {
    exist = visitor.count(EXIST, 0) != 0;
    if (state == null) {
      exist = false;
    } else if (exist && learner.remembersPublished()) {
      learner.copyPublished(state, weights);
    } else if (exist) {
      visitor.vector(WEIGHTS, weights);
    }
  }
}
