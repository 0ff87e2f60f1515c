package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.RunningAverage;

/** What is published as the average of the weights played: theta_1 as long as none has been. */
final class PlayedAverage {
  private PlayedAverage() {}

  /** Writes it into {@code out}, the weights of which are in place. */
  static void copy(long rounds, RunningAverage average, Iterate out) {
    if (rounds == 0) {
      System.arraycopy(out.weights, 0, out.average, 0, out.weights.length);
    } else {
      average.copy(out.average);
    }
  }
}
