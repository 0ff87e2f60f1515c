package io.croupier.operators.learner;

/** A learner whose losses can be compared with those of others on the same rounds. */
interface Bettor<S extends LearnerState> extends Learner<S> {

  /**
   * Returns the linearised loss of a part before the {@link #step} of its round: the inner product
   * of s_j and what this learner played at publication j, as the distance from the point that bets
   * start from. 0 if the state doesn't know the publication.
   */
  double loss(S state, Round.Part part);
}
