package io.croupier.cli.demo;

import java.util.List;

/** Shows how a demonstration is getting on. */
sealed interface Progress extends AutoCloseable permits LiveBars, PlainLines {

  /** Bars where there is a terminal to draw them on, else a line every few seconds. */
  static Progress on(List<Entrant> entrants, Terms terms, String fitName) {
    // The script looks: Java itself can't tell whether standard output is a terminal.
    return Boolean.getBoolean("croupier.terminal")
        ? new LiveBars(entrants, terms, fitName)
        : new PlainLines(entrants, terms, fitName, System.out);
  }

  /**
   * Shows the present state.
   *
   * @param standings one per learner, in the entrants' order
   * @param reportsPerSecond judged by the job, over all learners
   */
  void show(List<Standing> standings, double reportsPerSecond);

  @Override
  void close();
}
