package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;

/** A measurement with its tables and pictures. */
interface Study {

  /** Names the study in the command and its files. */
  String name();

  /** In the unit of the progress bar: steps of a learner, or as long. */
  long work();

  /**
   * Measures, and writes tables and pictures.
   *
   * @param seed of all that is random
   */
  void run(Runner runner, long seed, MarkdownPage page) throws IOException, InterruptedException;
}
