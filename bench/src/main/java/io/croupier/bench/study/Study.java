package io.croupier.bench.study;

import java.io.IOException;
import java.util.List;

/** Problems to race over, and what to show of the results. */
interface Study {

  /** Names the study in the command and its files. */
  String name();

  /** The problems; independent of each other. */
  List<Cell> cells();

  /**
   * Writes tables and pictures.
   *
   * @param results in the order of {@link #cells()}
   */
  void report(List<Result> results, Page page) throws IOException;
}
