package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.List;

/** A study of {@link Cell}s. */
interface CellStudy extends Study {

  /** The problems; independent of each other. */
  List<Cell> cells();

  /**
   * Writes tables and pictures.
   *
   * @param results in the order of {@link #cells()}
   */
  void report(List<CellResult> results, MarkdownPage page) throws IOException;

  @Override
  default long work() {
    return cells().stream().mapToLong(Cell::work).sum();
  }

  @Override
  default void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    report(runner.run(cells(), seed), page);
  }
}
