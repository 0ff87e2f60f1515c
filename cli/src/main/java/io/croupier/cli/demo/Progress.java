package io.croupier.cli.demo;

import io.croupier.cli.io.CountBar;
import java.util.List;

/** Shows the progress of a demonstration. */
sealed interface Progress extends AutoCloseable permits LiveBars, PlainLines {

  /** Bars on a terminal, else lines every few seconds. */
  static Progress on(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    return CountBar.isTerminal()
        ? new LiveBars(learners, parameters, fitName)
        : new PlainLines(learners, parameters, fitName, System.out);
  }

  /**
   * Shows the current state.
   *
   * @param statuses one per learner, in the learners' order
   * @param reportsPerSecond rate at which the ledger judges reports, over all learners
   */
  void show(List<ModelStatus> statuses, double reportsPerSecond);

  /** Shows how many of the tokens that all people need are granted. */
  void showTokens(long granted, long all);

  @Override
  void close();
}
