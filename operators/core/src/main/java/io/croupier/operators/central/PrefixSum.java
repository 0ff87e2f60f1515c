package io.croupier.operators.central;

import io.croupier.operators.learner.LearnerState;

/**
 * A running prefix sum and the noise that is still needed: the state of a {@link PrefixNoise}.
 * {@link #visit} saves and restores it, without the generator: noise drawn before is kept, and
 * noise after a restore is drawn anew. Only a new instance without steps can be restored; if noise
 * is missing from the stored state, the restore fails. The saved state contains the exact sum: its
 * storage must be protected.
 *
 * <p>Not safe for use by several threads.
 */
public interface PrefixSum extends LearnerState {
  /** Prefix of the names of vectors that never change while they are part of the state. */
  String NODE = "node-";

  /**
   * Takes one step.
   *
   * @param roundSum exact sum of the round's clipped gradients, in grid steps, shape [d]; not kept
   * @param prefix receives the noisy prefix sum, in units of the gradients, shape [d]
   * @throws IllegalArgumentException if a shape is wrong
   * @throws IllegalStateException after the last step that the noise covers; nothing is changed
   *     then
   */
  void add(long[] roundSum, double[] prefix);
}
