package io.croupier.cli.data;

import java.nio.file.Path;

/** Gives other test packages access to tables. */
public final class TableReading {
  private TableReading() {}

  /** The first column of a file, as numbers. */
  public static double[] numbers(Path csv) {
    CsvTable table = CsvTable.read(csv);
    return table.numbers(table.columns().get(0));
  }
}
