package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.RunningAverage;

/** The counts and the average that every learner of prefix sums keeps of closed rounds. */
final class RoundHistory {
  final RunningAverage average;
  long round;
  private long saturations;

  RoundHistory(int dimension) {
    average = new RunningAverage(dimension);
  }

  /** Prepares for the weights of the round that closes: the caller moves the average to them. */
  void next(Averaging averaging) {
    round++;
    average.advance(averaging.decay(round));
  }

  /** Counts the round that closes if a number was out of range in it. */
  void count(boolean saturated) {
    if (saturated) {
      saturations++;
    }
  }

  /**
   * Completes {@code out}, whose weights the caller has written; the caller adds other diagnostics
   * afterwards.
   */
  void publish(Iterate out) {
    out.round = round;
    if (round == 0) {
      System.arraycopy(out.weights, 0, out.average, 0, out.weights.length);
    } else {
      average.copy(out.average);
    }
    out.diagnostics.clear();
    out.diagnostics.put("saturations", (double) saturations);
  }

  void visit(LearnerState.Visitor visitor) {
    round = visitor.count("round", round);
    saturations = visitor.count("saturations", saturations);
    average.visit(visitor);
  }
}
