package io.croupier.operators.central;

import io.croupier.operators.learner.LearnerState;

/**
 * A running prefix sum and the noise that is still needed: the state of a {@link PrefixNoise}.
 * Saved and restored by {@link #visit}, the generator is not: what was drawn keeps its noise, what
 * comes after a restore is drawn afresh. Only a new one, without steps, can be restored; should
 * noise be missing from what is restored, it refuses. The saved state holds the exact sum: its
 * storage must be protected.
 *
 * <p>Not safe for use by several threads.
 */
public interface PrefixSum extends LearnerState {
  /** How the names of vectors begin that never change as long as they are shown. */
  String NODE = "node-";

  /**
   * Takes one step.
   *
   * @param roundSum exact sum of the round's clipped gradients, in grid steps, shape [d]; not kept
   * @param prefix shape [d], where the noisy prefix sum is put, in units of the gradients
   * @throws IllegalArgumentException if a shape is wrong
   * @throws IllegalStateException after the last step that the noise was made for; nothing is
   *     changed then
   */
  void add(long[] roundSum, double[] prefix);
}
