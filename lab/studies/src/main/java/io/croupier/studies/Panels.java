package io.croupier.studies;

import io.croupier.bench.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Small plots in one picture, row by row; all rows are full.
 *
 * @param columns plots in a row
 */
record Panels(String title, int columns, List<Plot> plots) implements Figure {

  @Override
  public void save(Path file) throws IOException {
    ChartStyle.save(plots.stream().map(Plot::chart).toList(), columns, file);
  }
}
