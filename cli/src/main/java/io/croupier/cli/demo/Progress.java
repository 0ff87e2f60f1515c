package io.croupier.cli.demo;

import io.croupier.cli.io.CountBar;
import java.util.List;
import java.util.stream.IntStream;

/** Shows the progress of a demonstration. */
sealed interface Progress extends AutoCloseable permits LiveBar, PlainLines {

  /** A bar on a terminal, else lines every few seconds. */
  static Progress on(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    return CountBar.isTerminal()
        ? new LiveBar(learners, parameters, fitName)
        : new PlainLines(learners, parameters, fitName, System.out);
  }

  /**
   * Shows the current state.
   *
   * @param statuses one per learner, in the learners' order
   * @param reportsPerSecond rate at which the ledger judges reports, over all learners
   */
  void show(List<ModelStatus> statuses, double reportsPerSecond);

  /** The number of people of whom every learner has a report. */
  static long reported(
      List<ComparedLearner> learners, DemoParameters parameters, List<ModelStatus> statuses) {
    return parameters.people()
        - IntStream.range(0, learners.size())
            .mapToLong(i -> learners.get(i).reports(parameters) - statuses.get(i).settled())
            // Reports of visitors come in addition.
            .map(missing -> Math.max(0, missing))
            .max()
            .orElse(0);
  }

  /** Shows how many of the tokens that all people need are granted. */
  void showTokens(long granted, long all);

  @Override
  void close();
}
