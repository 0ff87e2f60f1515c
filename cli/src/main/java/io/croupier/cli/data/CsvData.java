package io.croupier.cli.data;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvTable.Kind;
import io.croupier.client.Features;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.client.loss.SoftmaxLoss;
import io.croupier.schemas.NumberText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.apache.commons.math3.stat.descriptive.moment.Mean;
import org.apache.commons.math3.stat.descriptive.moment.StandardDeviation;

/**
 * A CSV file with one row per person. With the features of a spec, columns are scaled as devices
 * scale them. Without, numeric columns are standardised (mean 0, standard deviation 1) and clipped
 * at three deviations; other columns become one indicator column for each value but the first. An
 * intercept is added, and everything is divided by the largest norm of a row. The label is a number
 * that is compared with its median, or has from two to {@value #MOST_CLASSES} values, which are
 * classes.
 */
public final class CsvData {

  private static final double CLIP = 0.25;
  private static final int MOST_CATEGORIES = 20;
  private static final int MOST_CLASSES = 20;
  private static final double MOST_DEVIATIONS = 3;
  private static final String EVERYBODY =
      "Features are scaled with everybody's data (means, deviations, the largest norm of a row),"
          + " which devices don't have; --features FILE scales by what is public.";
  private static final String PUBLIC =
      "Features are scaled by the public ranges of %s alone, as devices scale them%s.";
  private static final String OF_LABEL = "; the median of the label is of everybody's data";
  private static final Pattern QUESTION_MARKS = Pattern.compile("[?\\s]+$");
  private static final String ALL_EQUAL = "Column '%s' is ignored: all its values are equal.";

  private final CsvTable table;
  private final List<String> names = new ArrayList<>();
  private final List<double[]> columns = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private CsvData(CsvTable table) {
    this.table = table;
    if (!table.leftOut().isEmpty()) {
      notes.add(table.leftOut() + ".");
    }
  }

  /**
   * Reads {@code file}; {@code label} is predicted from all other columns.
   *
   * @param dropsIncomplete whether rows with a value that is missing, or can't be used, are left
   *     out
   */
  public static DataSet load(Path file, String label, boolean dropsIncomplete) {
    CsvTable table = CsvTable.read(file);
    table.requireColumn(label);
    Map<String, Kind> kinds = new LinkedHashMap<>();
    for (String column : table.columns()) {
      kinds.put(column, table.isNumeric(column) ? Kind.NUMBER : Kind.TEXT);
    }
    CsvData data = new CsvData(complete(table, kinds, dropsIncomplete));
    Label labels = data.label(label);
    double[] features = data.standardised(label);
    return data.dataSet(file, label, labels, features, EVERYBODY, CLIP);
  }

  /**
   * Reads {@code file}; {@code label} is predicted from the features of a spec, scaled as devices
   * scale them.
   *
   * @param spec name of the file that describes them
   * @param dropsIncomplete whether rows with a value that is missing, or can't be used, are left
   *     out
   */
  public static DataSet load(
      Path file, String label, Features features, String spec, boolean dropsIncomplete) {
    if (features.list().stream().anyMatch(feature -> feature.getName().equals(label))) {
      throw new InputException(
          "%s: feature '%s' is the label, which is to be predicted".formatted(spec, label));
    }
    CsvTable table = CsvTable.read(file);
    table.requireColumn(label);
    Map<String, Kind> kinds = CsvFeatures.kinds(table, features);
    kinds.put(label, table.isNumeric(label) ? Kind.NUMBER : Kind.TEXT);
    CsvData data = new CsvData(complete(table, kinds, dropsIncomplete));
    Label labels = data.label(label);
    CsvFeatures rows = new CsvFeatures(data.table, features);
    data.names.addAll(rows.names());
    return data.dataSet(
        file,
        label,
        labels,
        rows.vectors(),
        PUBLIC.formatted(spec, labels.isOfEverybody ? OF_LABEL : ""),
        CLIP * features.largestNorm());
  }

  private static CsvTable complete(
      CsvTable table, Map<String, Kind> kinds, boolean dropsIncomplete) {
    kinds.keySet().forEach(table::requireColumn);
    if (dropsIncomplete) {
      return table.complete(kinds, true);
    }
    try {
      return table.complete(kinds, false);
    } catch (InputException e) {
      List<String> lines = new ArrayList<>(e.getMessage().lines().toList());
      lines.add("Mend them, or leave these rows out with --drop-incomplete");
      throw new InputException(lines, e);
    }
  }

  private DataSet dataSet(
      Path file, String label, Label labels, double[] features, String scaling, double clip) {
    double[] targets = labels.values.stream().mapToDouble(labels.target).toArray();
    return new DataSet(
        String.valueOf(file.getFileName()),
        String.format(
            Locale.ROOT, "%,d rows of %s: %s?", table.size(), file.getFileName(), labels.question),
        names(labels.classes),
        scaling,
        new Problem(features, targets, Scaling.ones(table.size()), labels.loss()),
        clip,
        1,
        categories(label),
        notes);
  }

  /** The rows of all columns but the label, scaled with everybody's data. */
  private double[] standardised(String label) {
    add("intercept", Scaling.ones(table.size()));
    for (String column : table.columns()) {
      if (column.equals(label)) {
        continue;
      }
      if (table.isNumeric(column)) {
        addNumeric(column);
      } else {
        addCategorical(column);
      }
    }
    if (columns.size() == 1) {
      throw new InputException(
          table.name() + ": there is no column from which to predict '" + label + "'");
    }
    double[] features = rows();
    Scaling.divideByLargestRow(features, columns.size());
    return features;
  }

  /** The columns of words, but for the label. */
  private Map<String, List<String>> categories(String label) {
    Map<String, List<String>> categories = new LinkedHashMap<>();
    for (String column : table.columns()) {
      if (!column.equals(label) && !table.isNumeric(column)) {
        categories.put(column, table.column(column));
      }
    }
    return categories;
  }

  /**
   * What is predicted.
   *
   * @param question in words, without a question mark
   * @param values of the people
   * @param target of a value
   * @param classes their names; empty if the targets are 0 and 1
   * @param isOfEverybody whether the target depends on the values of other people
   */
  private record Label(
      String question,
      List<String> values,
      ToDoubleFunction<String> target,
      List<String> classes,
      boolean isOfEverybody) {

    PredictionLoss loss() {
      return classes.isEmpty() ? new LogisticLoss() : new SoftmaxLoss(classes.size());
    }
  }

  private Label label(String label) {
    List<String> values = table.column(label);
    boolean isNumeric = table.isNumeric(label);
    // Written in different ways, numbers are equal; texts aren't.
    Comparator<String> order =
        isNumeric ? Comparator.comparingDouble(NumberText::parseDouble) : Comparator.naturalOrder();
    SortedMap<String, Long> counts = new TreeMap<>(order);
    values.forEach(value -> counts.merge(value, 1L, Long::sum));
    Set<String> distinct = counts.keySet();
    if (!isNumeric || distinct.size() == 2) {
      note(label, counts);
    }
    String asked = QUESTION_MARKS.matcher(label).replaceAll("");
    if (distinct.size() == 2) {
      return new Label(
          "is %s = %s".formatted(asked, rarer(counts)),
          values,
          value -> order.compare(value, rarer(counts)) == 0 ? 1 : 0,
          List.of(),
          false);
    }
    if (distinct.size() > 2 && isNumeric) {
      double median = Scaling.median(table.numbers(label));
      return new Label(
          "is %s above its median of %s".formatted(asked, median),
          values,
          value -> NumberText.parseDouble(value) > median ? 1 : 0,
          List.of(),
          true);
    }
    if (distinct.size() > 2 && distinct.size() <= MOST_CLASSES) {
      List<String> classes = List.copyOf(distinct);
      return new Label(
          "which of %d is %s".formatted(classes.size(), asked),
          values,
          classes::indexOf,
          classes,
          false);
    }
    throw new InputException(
        ("%s, column '%s': a label must have from two to %d different values, or be a number (then"
                + " the question is whether it is above its median); this one has %s")
            .formatted(
                table.name(),
                label,
                MOST_CLASSES,
                distinct.size() < 2 ? "one value only" : distinct.size() + " values"));
  }

  /** How many people have each class, and which classes may be one. */
  private void note(String label, SortedMap<String, Long> counts) {
    if (counts.size() > MOST_CLASSES) {
      return;
    }
    notes.add(
        "Column '%s': %s."
            .formatted(
                label,
                counts.entrySet().stream()
                    .map(entry -> "%s %,d".formatted(entry.getKey(), entry.getValue()))
                    .collect(joining(", "))));
    counts.keySet().stream()
        .collect(groupingBy(value -> value.toLowerCase(Locale.ROOT), TreeMap::new, joining("', '")))
        .values()
        .stream()
        .filter(same -> same.contains("', '"))
        .forEach(
            same ->
                notes.add(
                    "Warning: values of column '%s' differ in case only, and count as different: '%s'."
                        .formatted(label, same)));
  }

  /** Of two values, the one that fewer people have; the last if as many have each. */
  private static String rarer(SortedMap<String, Long> counts) {
    return counts.get(counts.firstKey()) < counts.get(counts.lastKey())
        ? counts.firstKey()
        : counts.lastKey();
  }

  private static ToDoubleFunction<String> indicator(String positive) {
    return value -> value.equals(positive) ? 1 : 0;
  }

  /** The name of each weight. */
  private List<String> names(List<String> classes) {
    return classes.isEmpty()
        ? names
        : classes.stream()
            .flatMap(name -> names.stream().map(feature -> name + ": " + feature))
            .toList();
  }

  private void addNumeric(String column) {
    double[] values = Scaling.near1(table.numbers(column));
    double mean = new Mean().evaluate(values);
    double deviation = new StandardDeviation().evaluate(values, mean);
    if (!(deviation > 0)) {
      notes.add(ALL_EQUAL.formatted(column));
      return;
    }
    for (int i = 0; i < values.length; i++) {
      double standardised = (values[i] - mean) / deviation;
      values[i] = Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, standardised));
    }
    add(column, values);
  }

  private void addCategorical(String column) {
    List<String> values = table.column(column);
    SortedSet<String> distinct = new TreeSet<>(values);
    if (distinct.size() == 1) {
      notes.add(ALL_EQUAL.formatted(column));
      return;
    }
    if (distinct.size() > MOST_CATEGORIES) {
      notes.add(
          "Column '%s' is ignored: it has %d different values; at most %d are supported."
              .formatted(column, distinct.size(), MOST_CATEGORIES));
      return;
    }
    // The first value is the reference category, which the intercept represents.
    distinct.remove(distinct.first());
    for (String category : distinct) {
      add(column + " = " + category, values.stream().mapToDouble(indicator(category)).toArray());
    }
  }

  private void add(String name, double[] column) {
    names.add(name);
    columns.add(column);
  }

  private double[] rows() {
    int d = columns.size();
    double[] rows = new double[table.size() * d];
    for (int j = 0; j < d; j++) {
      double[] column = columns.get(j);
      for (int i = 0; i < column.length; i++) {
        rows[i * d + j] = column[i];
      }
    }
    return rows;
  }
}
