package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * An online learner: immutable configuration, and pure transitions on a state that the caller owns.
 * The same state and the same rounds give the same bits on any machine: exponentials and logarithms
 * are StrictMath's, which are equal on all platforms to the last bit, unlike Math's.
 *
 * @param <S> the state, created by {@link #initial()} and changed in place by {@link #step}
 */
public interface Learner<S extends LearnerState> extends Serializable {

  /** Returns the number of coordinates d. */
  int dimension();

  /** Returns the state before the first round. */
  S initial();

  /**
   * Returns whether this learner bets on a direction, so that {@link Round#coin} matters. If so,
   * the caller keeps a copy of the direction of every published round that a report may still name.
   */
  boolean bets();

  /**
   * Copies the direction in force into {@code direction}, shape [d].
   *
   * @return the pull: the multiple of the direction that the caller adds to every gradient
   *     evaluated at the present weights; 0 unless the learner has a constraint and its point is
   *     outside
   * @throws UnsupportedOperationException if the learner doesn't bet
   */
  double direction(S state, double[] direction);

  /**
   * Returns whether the learner takes gradients in units of the gradient bound, so that the owner
   * divides {@link Round#subgradient} and {@link Round#coin} by it.
   */
  default boolean countsInUnitsOfTheBound() {
    return false;
  }

  /** Restores a state, also one of an earlier release. */
  default void restore(S state, LearnerState.Visitor reader) {
    state.visit(reader);
  }

  /** Returns whether a stored part of a state of an earlier release is not needed any more. */
  default boolean isObsolete(String part) {
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

  /**
   * Returns how many publications may be newer than the weights at which gradients were taken,
   * before many steps on such gradients mislead this learner: gradients at successive publications
   * agree because none includes the steps that the others have caused. Of later ones, the caller
   * gives it few, large rounds, and publishes new weights only when it has as many gradients of the
   * newest ones.
   */
  default int harmlessDelay(S state) {
    return 1;
  }

  /** Takes one step on a closed round. Changes {@code state} in place; allocates nothing. */
  void step(S state, Round round);

  /**
   * Writes the weights of the present round, the average so far and diagnostics into {@code out}. A
   * learner that evaluates its weights only here, or limits how far they move from one publication
   * to the next, records in {@code state} that these are played from now on; a second call before
   * the next step changes nothing.
   */
  void publish(S state, Iterate out);

  /**
   * Writes the average so far and diagnostics into {@code out}, without changing its weights: those
   * of the last {@link #publish} stay in force.
   */
  void describe(S state, Iterate out);
}
