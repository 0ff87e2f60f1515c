package io.croupier.operators.evaluation;

import io.croupier.operators.learner.LearnerState;

/**
 * The replies of devices to one thing that they are asked for. Which estimates it makes of them is
 * up to its kind; they count less as publications pass.
 */
public interface ReplyTally {
  /**
   * Adds a reply.
   *
   * @param age how many publications are newer than the one that the reply is about
   * @return false if that publication did not ask for a reply of this kind
   */
  boolean add(Reply reply, int age);

  /** Records another publication: earlier replies count less. */
  void age();

  /** Passes the state to a visitor, which may restore it. */
  void visit(String name, LearnerState.Visitor visitor);
}
