package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import java.io.Serializable;

/**
 * A learner whose only input are noisy prefix sums: immutable configuration, and pure transitions
 * on a state that the caller owns. The same sums give the same bits on any machine.
 *
 * @param <S> the state, created by {@link #initial()} and changed in place by {@link #step}
 */
public sealed interface PrefixLearner<S extends LearnerState> extends Serializable
    permits Ftrl, LeastSquaresFtrl, ParameterFreeFtrl {

  /** Returns the number of weights d. */
  int dimension();

  /** Returns the number of coordinates of a prefix sum. */
  int sumDimension();

  /** Returns the state before the first round. */
  S initial();

  /**
   * Closes round t: theta_t has been played and enters the average; theta_(t+1) follows from the
   * sum. Changes {@code state} in place.
   *
   * @param prefixSum s_t, finite, shape [{@link #sumDimension()}]; read only, not kept
   * @param noiseVariance public variance of the noise in each coordinate of this sum, finite and at
   *     least 0; only {@link ParameterFreeFtrl} uses it
   */
  void step(S state, double[] prefixSum, double noiseVariance);

  /**
   * Writes the weights in force, and the average of those played before them, into {@code out};
   * before the first round the average is theta_1.
   */
  void publish(S state, Iterate out);
}
