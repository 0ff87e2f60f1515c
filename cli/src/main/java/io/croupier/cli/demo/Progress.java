package io.croupier.cli.demo;

import java.util.List;

/** Shows how a demonstration is getting on. */
sealed interface Progress extends AutoCloseable permits LiveBars, PlainLines {

  /** Bars where there is a terminal to draw them on, else a line every few seconds. */
  static Progress on(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    // The script looks: Java itself can't tell whether standard output is a terminal.
    return Boolean.getBoolean("croupier.terminal")
        ? new LiveBars(learners, parameters, fitName)
        : new PlainLines(learners, parameters, fitName, System.out);
  }

  /**
   * Shows the present state.
   *
   * @param statuses one per learner, in the learners' order
   * @param reportsPerSecond judged by the job, over all learners
   */
  void show(List<ModelStatus> statuses, double reportsPerSecond);

  @Override
  void close();
}
