package io.croupier.cli.data;

import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.NumberText;
import io.croupier.schemas.Utf8Text;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;

/** A CSV file with a header, in memory. Error messages contain file, line and column, no values. */
final class CsvTable {

  /** Separators of columns, the usual one first. */
  private static final List<Character> SEPARATORS = List.of(',', ';', '\t');

  /** The header must end within this many characters for its separators to be counted. */
  private static final int HEADER_CHARS = 1 << 16;

  private static final Map<String, Boolean> ANSWERS =
      Map.of("yes", true, "true", true, "1", true, "no", false, "false", false, "0", false);

  /**
   * What a column must contain.
   *
   * @param right in words, in the plural
   */
  record Kind(String right, Predicate<String> accepts) {
    static final Kind TEXT = new Kind("texts", value -> true);
    static final Kind NUMBER =
        new Kind("finite numbers, with a point before the decimals", Kind::isFinite);
    static final Kind ANSWER =
        new Kind(
            "yes or no, true or false, or 1 or 0",
            value -> ANSWERS.containsKey(value.toLowerCase(Locale.ROOT)));

    /** Whole numbers from 0 to {@code classes} - 1. */
    static Kind ofClasses(int classes) {
      return new Kind(
          "labels of %d classes, whole numbers from 0 to %d".formatted(classes, classes - 1),
          value -> isFinite(value) && isClass(NumberText.parseDouble(value), classes));
    }

    /** Some of the names. */
    static Kind ofNames(List<String> names) {
      return new Kind("one of " + String.join(", ", names), names::contains);
    }

    private static boolean isFinite(String value) {
      return NumberText.isNumber(value) && Double.isFinite(NumberText.parseDouble(value));
    }

    private static boolean isClass(double number, int classes) {
      return number == Math.rint(number) && number >= 0 && number < classes;
    }
  }

  private final String name;
  private final List<String> columns;
  private final List<String[]> rows = new ArrayList<>();
  private final List<Long> lines = new ArrayList<>();
  private String leftOut = "";

  private CsvTable(String name, List<String> columns) {
    this.name = name;
    this.columns = columns;
  }

  /** Reads a file; one that ends in {@code .gz} is decompressed. */
  static CsvTable read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return read(file.toString(), file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in);
    } catch (IOException e) {
      throw new InputException(file + ": " + FileErrors.unreadable(e), e);
    }
  }

  /** Reads a table. */
  static CsvTable read(String name, InputStream in) throws IOException {
    try (BufferedReader text = Utf8Text.reader(in);
        CSVParser parser = format(separator(text)).parse(text)) {
      CsvTable table = new CsvTable(name, columns(name, parser.getHeaderNames()));
      for (CSVRecord record : parser) {
        long line = parser.getCurrentLineNumber();
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
      throw new InputException(name + ": " + FileErrors.unreadable(e.getCause()), e);
    } catch (CharacterCodingException e) {
      throw new InputException(name + ": " + FileErrors.unreadable(e), e);
    }
  }

  private static InputException quotes(String name, CSVException cause) {
    return new InputException(
        name
            + ": a value that begins with a quotation mark has no second one, or text after the"
            + " second one",
        cause);
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
        .setTrim(true)
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

  /**
   * The rows whose values are all of the kind of their column.
   *
   * @param kinds of the columns that are used, by name
   * @param dropsOthers whether other rows are left out, instead of refused
   * @throws InputException if a column is missing, or other rows are refused: it has the number of
   *     faults of each column, and the line of the first
   */
  CsvTable complete(Map<String, Kind> kinds, boolean dropsOthers) {
    BitSet unusable = new BitSet();
    List<String> faults = new ArrayList<>();
    addFault(
        row -> row.length != columns.size(),
        "rows with more or fewer values than the header's " + columns.size(),
        unusable,
        faults);
    kinds.forEach(
        (column, kind) -> {
          requireColumn(column);
          int index = columns.indexOf(column);
          String place = "column '%s': ".formatted(column);
          addFault(
              row -> index < row.length && row[index].isEmpty(),
              place + "missing values",
              unusable,
              faults);
          addFault(
              row -> index < row.length && !row[index].isEmpty() && !kind.accepts.test(row[index]),
              place + "values that aren't " + kind.right,
              unusable,
              faults);
        });
    if (faults.isEmpty()) {
      return this;
    }
    String found =
        "%s: %,d of %,d rows can't be used".formatted(name, unusable.cardinality(), rows.size());
    if (!dropsOthers || unusable.cardinality() == rows.size()) {
      List<String> lines = new ArrayList<>(List.of(found + ":"));
      faults.forEach(fault -> lines.add("  " + fault));
      throw new InputException(lines, null);
    }
    CsvTable others = new CsvTable(name, columns);
    for (int i = unusable.nextClearBit(0); i < rows.size(); i = unusable.nextClearBit(i + 1)) {
      others.rows.add(rows.get(i));
      others.lines.add(lines.get(i));
    }
    others.leftOut = found + ", and are left out";
    return others;
  }

  private void addFault(
      Predicate<String[]> isFault, String what, BitSet unusable, List<String> faults) {
    int[] found = IntStream.range(0, rows.size()).filter(i -> isFault.test(rows.get(i))).toArray();
    if (found.length > 0) {
      Arrays.stream(found).forEach(unusable::set);
      faults.add(
          "%s: %,d, the first in line %d".formatted(what, found.length, lines.get(found[0])));
    }
  }

  /** How many rows {@link #complete} left out, in words; empty if it left out none. */
  String leftOut() {
    return leftOut;
  }

  /** The values of a column. */
  List<String> column(String column) {
    requireColumn(column);
    int index = columns.indexOf(column);
    return rows.stream().map(row -> row[index]).toList();
  }

  /** The values of a column of {@link Kind#NUMBER}, or of classes. */
  double[] numbers(String column) {
    return column(column).stream().mapToDouble(NumberText::parseDouble).toArray();
  }

  /** The values of a column of {@link Kind#ANSWER}. */
  List<Boolean> answers(String column) {
    return column(column).stream()
        .map(value -> ANSWERS.get(value.toLowerCase(Locale.ROOT)))
        .toList();
  }

  /** Whether at least half of a column's values are numbers: then all of them must be. */
  boolean isNumeric(String column) {
    requireColumn(column);
    int index = columns.indexOf(column);
    List<String> given =
        rows.stream()
            .filter(row -> index < row.length && !row[index].isEmpty())
            .map(row -> row[index])
            .toList();
    long numbers = given.stream().filter(Kind.NUMBER.accepts).count();
    return numbers > 0 && 2 * numbers >= given.size();
  }
}
