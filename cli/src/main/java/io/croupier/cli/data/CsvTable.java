package io.croupier.cli.data;

import io.croupier.cli.InputException;
import io.croupier.schemas.NumberText;
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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;

/** A CSV file with a header, in memory. Error messages contain file, line and column, no values. */
final class CsvTable {

  /** What other programs write for a number that is missing, or too large. */
  private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

  /** Separators of columns, the usual one first. */
  private static final List<Character> SEPARATORS = List.of(',', ';', '\t');

  /** The header must end within this many characters for its separators to be counted. */
  private static final int HEADER_CHARS = 1 << 16;

  private static final Map<String, Boolean> ANSWERS =
      Map.of("yes", true, "true", true, "1", true, "no", false, "false", false, "0", false);

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  /** With such a first character, the bytes are UTF-16. */
  private static final int UNREADABLE = 0xFFFD;

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
    BufferedReader text =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), HEADER_CHARS);
    skipByteOrderMark(name, text);
    try (CSVParser parser = format(separator(text)).parse(text)) {
      CsvTable table = new CsvTable(name, columns(name, parser.getHeaderNames()));
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
    } catch (CSVException e) {
      throw quotes(name, e);
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof CSVException quotes) {
        throw quotes(name, quotes);
      }
      throw e.getCause();
    }
  }

  private static InputException quotes(String name, CSVException cause) {
    return new InputException(
        name
            + ": a value that begins with a quotation mark has no second one, or text after the"
            + " second one",
        cause);
  }

  /** Programs that write such a mark before the text don't mean it as a part of the first name. */
  private static void skipByteOrderMark(String name, BufferedReader text) throws IOException {
    text.mark(1);
    int first = text.read();
    if (first == UNREADABLE) {
      throw new InputException(name + ": the text is not UTF-8; save the file as UTF-8");
    }
    if (first != BYTE_ORDER_MARK) {
      text.reset();
    }
  }

  /** The separator that the header has most often outside of quotation marks. */
  private static char separator(BufferedReader text) throws IOException {
    text.mark(HEADER_CHARS);
    int[] counts = new int[SEPARATORS.size()];
    boolean quoted = false;
    int read = text.read();
    for (int i = 1; i < HEADER_CHARS && read >= 0 && (quoted || read != '\n'); i++) {
      quoted ^= read == '"';
      int separator = quoted ? -1 : SEPARATORS.indexOf((char) read);
      if (separator >= 0) {
        counts[separator]++;
      }
      read = text.read();
    }
    text.reset();
    int most = 0;
    for (int i = 1; i < counts.length; i++) {
      most = counts[i] > counts[most] ? i : most;
    }
    return SEPARATORS.get(most);
  }

  private static CSVFormat format(char separator) {
    return CSVFormat.DEFAULT
        .builder()
        .setDelimiter(separator)
        .setHeader()
        .setSkipHeaderRecord(true)
        .setDuplicateHeaderMode(DuplicateHeaderMode.ALLOW_ALL)
        .setAllowMissingColumnNames(true)
        .setIgnoreSurroundingSpaces(true)
        .get();
  }

  private static List<String> columns(String name, List<String> header) {
    if (header.isEmpty()) {
      throw new InputException(name + ": the file is empty");
    }
    Set<String> seen = new HashSet<>();
    for (String column : header) {
      if (column.isBlank()) {
        throw new InputException(
            "%s: column %d has no name in the header".formatted(name, seen.size() + 1));
      }
      if (!seen.add(column)) {
        throw new InputException(
            "%s: the header has the column '%s' twice".formatted(name, column));
      }
    }
    return header;
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

  /** Throws an exception if there is no such column. */
  void requireColumn(String column) {
    if (!columns.contains(column)) {
      throw new InputException(
          "%s: no column '%s'; the columns are %s"
              .formatted(name, column, String.join(", ", columns)));
    }
  }

  /** The values of a column, none of them empty. */
  List<String> column(String column) {
    requireColumn(column);
    int index = columns.indexOf(column);
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
        numbers[i] = NumberText.parseDouble(values.get(i));
      } catch (NumberFormatException e) {
        throw notFinite(i, column, e);
      }
      if (!Double.isFinite(numbers[i])) {
        throw notFinite(i, column, null);
      }
    }
    return numbers;
  }

  /** The values of a column, each yes or no, true or false, or 1 or 0. */
  List<Boolean> answers(String column) {
    List<Boolean> answers = new ArrayList<>();
    for (String value : column(column)) {
      Boolean answer = ANSWERS.get(value.toLowerCase(Locale.ROOT));
      if (answer == null) {
        throw new InputException(
            "%s, line %d, column '%s': must be yes or no, true or false, or 1 or 0"
                .formatted(name, lines.get(answers.size()), column));
      }
      answers.add(answer);
    }
    return answers;
  }

  /** The values of a column, all of them whole numbers from 0 to {@code classes} - 1. */
  double[] classes(String column, int classes) {
    double[] numbers = numbers(column);
    for (int i = 0; i < numbers.length; i++) {
      if (!(numbers[i] == Math.rint(numbers[i]) && numbers[i] >= 0 && numbers[i] < classes)) {
        throw new InputException(
            "%s, line %d, column '%s': a label of %s must be %s"
                .formatted(
                    name,
                    lines.get(i),
                    column,
                    classes == 2 ? "two classes" : classes + " classes",
                    classes == 2 ? "0 or 1" : "a whole number from 0 to " + (classes - 1)));
      }
    }
    return numbers;
  }

  /** Whether the first value is a number: then all of them must be. */
  boolean isNumeric(String column) {
    String first = column(column).get(0);
    return NumberText.isNumber(first) || NOT_FINITE.contains(first);
  }

  private InputException notFinite(int row, String column, Throwable cause) {
    boolean comma = rows.get(row)[columns.indexOf(column)].matches("[-+]?\\d+,\\d+");
    return new InputException(
        ("%s, line %d, column '%s': not a finite number; all values of this column must be finite"
                + " numbers%s")
            .formatted(
                name, lines.get(row), column, comma ? ", with a point before the decimals" : ""),
        cause);
  }
}
