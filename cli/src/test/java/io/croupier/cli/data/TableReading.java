package io.croupier.cli.data;

import java.nio.file.Path;
import java.util.Map;

/** Gives other test packages access to tables. */
public final class TableReading {
  private TableReading() {}

  /** The first column of a file, as numbers. */
  public static double[] numbers(Path csv) {
    CsvTable table = CsvTable.read(csv);
    String first = table.columns().get(0);
    return table.complete(Map.of(first, CsvTable.Kind.NUMBER), false).numbers(first);
  }
}
