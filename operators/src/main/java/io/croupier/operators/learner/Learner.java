package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * An online learner: immutable configuration, and pure transitions on a state that the caller owns.
 * The same state and the same rounds give the same bits on any machine: exponentials and logarithms
 * are StrictMath's, which all platforms agree on to the last bit, as they don't on Math's.
 *
 * @param <S> the state, created by {@link #initial()} and changed in place by {@link #step}
 */
public interface Learner<S extends LearnerState> extends Serializable {

  /** Number of coordinates d. */
  int dimension();

  /** The state before the first round. */
  S initial();

  /**
   * Whether this learner bets on a direction, so that {@link Round#coin} matters. If so, the caller
   * keeps a copy of the direction of every published round that a report may still name.
   */
  boolean bets();

  /**
   * Copies the direction in force into {@code direction}, shape [d].
   *
   * @return the pull: the multiple of the direction by which the caller lets every gradient grow
   *     that is evaluated now; 0 unless the learner is kept in a domain and points out of it
   * @throws UnsupportedOperationException if the learner doesn't bet
   */
  double direction(S state, double[] direction);

  /**
   * Whether many steps on gradients that were taken at older weights than the newest published ones
   * mislead this learner. If so, the caller gives it few, large rounds of such gradients, and
   * publishes new weights only when it has as many gradients of the newest ones.
   */
  default boolean isMisledByDelay() {
    return false;
  }

  /** Takes one step on a closed round. Changes {@code state} in place; allocates nothing. */
  void step(S state, Round round);

  /**
   * Writes the weights of the present round, the average so far and diagnostics into {@code out}. A
   * learner that evaluates its weights only here notes in {@code state} that these are played from
   * now on; a second call before the next step changes nothing.
   */
  void publish(S state, Iterate out);

  /**
   * Writes the average so far and diagnostics into {@code out} and leaves its weights as they are:
   * those of the last {@link #publish} stay in force.
   */
  void describe(S state, Iterate out);
}
