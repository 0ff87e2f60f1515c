package io.croupier.cli.data;

import io.croupier.cli.InputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;

/** A CSV file with a header, in memory. Error messages contain file, line and column, no values. */
final class CsvTable {

  private static final CSVFormat FORMAT =
      CSVFormat.DEFAULT
          .builder()
          .setHeader()
          .setSkipHeaderRecord(true)
          .setDuplicateHeaderMode(DuplicateHeaderMode.DISALLOW)
          .setIgnoreSurroundingSpaces(true)
          .get();

  private final String name;
  private final List<String> columns;
  private final List<String[]> rows = new ArrayList<>();
  private final List<Long> lines = new ArrayList<>();

  private CsvTable(String name, List<String> columns) {
    this.name = name;
    this.columns = columns;
  }

  /** Reads a file; one that ends in {@code .gz} is decompressed. */
  static CsvTable read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return read(file.toString(), file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in);
    } catch (NoSuchFileException e) {
      throw new InputException(file + ": no such file", e);
    } catch (IOException | UncheckedIOException e) {
      throw new InputException(file + ": can't be read: " + e.getMessage(), e);
    }
  }

  /** Reads a table. */
  static CsvTable read(String name, InputStream in) throws IOException {
    try (CSVParser parser =
        FORMAT.parse(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)))) {
      CsvTable table = new CsvTable(name, parser.getHeaderNames());
      for (CSVRecord record : parser) {
        long line = parser.getCurrentLineNumber();
        if (!record.isConsistent()) {
          throw new InputException(
              "%s, line %d: %d values, but the header has %d columns"
                  .formatted(name, line, record.size(), table.columns.size()));
        }
        table.rows.add(record.values());
        table.lines.add(line);
      }
      if (table.rows.isEmpty()) {
        throw new InputException(name + ": the file has no rows below the header");
      }
      return table;
    } catch (IllegalArgumentException e) {
      throw new InputException(
          "%s: not a CSV file with a header: %s".formatted(name, e.getMessage()), e);
    }
  }

  String name() {
    return name;
  }

  int size() {
    return rows.size();
  }

  List<String> columns() {
    return columns;
  }

  /** The values of a column, none of them empty. */
  List<String> column(String column) {
    int index = columns.indexOf(column);
    if (index < 0) {
      throw new InputException(
          "%s: no column '%s'; the columns are %s"
              .formatted(name, column, String.join(", ", columns)));
    }
    List<String> values = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      String value = rows.get(i)[index];
      if (value.isEmpty()) {
        throw new InputException(
            "%s, line %d, column '%s': missing value; add it or remove the row"
                .formatted(name, lines.get(i), column));
      }
      values.add(value);
    }
    return values;
  }

  /** The values of a column as numbers. */
  double[] numbers(String column) {
    List<String> values = column(column);
    double[] numbers = new double[values.size()];
    for (int i = 0; i < numbers.length; i++) {
      try {
        numbers[i] = Double.parseDouble(values.get(i));
      } catch (NumberFormatException e) {
        throw notFinite(i, column, e);
      }
      if (!Double.isFinite(numbers[i])) {
        throw notFinite(i, column, null);
      }
    }
    return numbers;
  }

  /** The values of a column, all of them 0 or 1. */
  double[] binaries(String column) {
    double[] numbers = numbers(column);
    for (int i = 0; i < numbers.length; i++) {
      if (numbers[i] != 0 && numbers[i] != 1) {
        throw new InputException(
            "%s, line %d, column '%s': a label of the logistic loss must be 0 or 1"
                .formatted(name, lines.get(i), column));
      }
    }
    return numbers;
  }

  /** Whether the first value is a number: then all of them must be. */
  boolean isNumeric(String column) {
    try {
      Double.parseDouble(column(column).get(0));
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private InputException notFinite(int row, String column, Throwable cause) {
    return new InputException(
        ("%s, line %d, column '%s': not a finite number; all values of this column must be finite"
                + " numbers")
            .formatted(name, lines.get(row), column),
        cause);
  }
}
