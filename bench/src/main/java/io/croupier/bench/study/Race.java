package io.croupier.bench.study;

import java.io.IOException;
import java.util.List;

/** A study of {@link Cell}s. */
interface Race extends Study {

  /** The problems; independent of each other. */
  List<Cell> cells();

  /**
   * Writes tables and pictures.
   *
   * @param results in the order of {@link #cells()}
   */
  void report(List<Result> results, Page page) throws IOException;

  @Override
  default long work() {
    return cells().stream().mapToLong(Cell::work).sum();
  }

  @Override
  default void run(Runner runner, long seed, Page page) throws IOException, InterruptedException {
    report(runner.run(cells(), seed), page);
  }
}
