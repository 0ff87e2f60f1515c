package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * An online learner: immutable configuration, and pure transitions on a state that the caller owns.
 * All reports between two publications are one round, and one step. The same state and the same
 * rounds give the same bits on any machine: exponentials and logarithms are StrictMath's, which are
 * equal on all platforms to the last bit, unlike Math's.
 *
 * @param <S> the state, created by {@link #initial()} and changed in place by {@link #step}
 */
public interface Learner<S extends LearnerState> extends Serializable {

  /** Returns the number of coordinates d. */
  int dimension();

  /** Returns the state before the first round. */
  S initial();

  /**
   * Takes one step on a round. Changes {@code state} in place. A part of the round that names a
   * publication that the state doesn't know settles no bet: it changes the direction of a {@link
   * ProductLearner}, and nothing of a {@link CoordinateWise} learner.
   *
   * @throws IllegalStateException if nothing was published since the last step
   */
  void step(S state, Round round);

  /**
   * Writes the weights, the average so far and diagnostics into {@code out}, and records in {@code
   * state} that these weights are played by all reports that name this publication.
   *
   * @param publication above all earlier ones
   */
  void publish(S state, long publication, Iterate out);

  /**
   * Writes the average so far and diagnostics into {@code out}, without changing its weights: those
   * of the last {@link #publish} stay in force.
   */
  void describe(S state, Iterate out);

  /** Forgets the publications before {@code oldest}, which no report may name any more. */
  void forget(S state, long oldest);

  /**
   * Makes the present average the initial weights of everything that follows: the next weights are
   * that average.
   *
   * @param average the average so far, shape [d]
   * @param rounds the number of rounds that led to it
   */
  void beginAt(S state, double[] average, long rounds);

  /** Returns whether a stored part of the state is not needed any more. */
  default boolean isObsolete(S state, String part) {
    return false;
  }

  /**
   * Returns whether the state determines the weights of the last publication, so that {@link
   * #copyPublished} is supported and the owner needn't save them.
   */
  default boolean remembersPublished() {
    return false;
  }

  /**
   * Writes the weights of the last {@link #publish} into {@code into}, shape [d].
   *
   * @throws UnsupportedOperationException unless {@link #remembersPublished}
   */
  default void copyPublished(S state, double[] into) {
    throw new UnsupportedOperationException("The state has no published weights");
  }
}
