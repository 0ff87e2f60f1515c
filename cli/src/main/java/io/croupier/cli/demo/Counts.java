package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.io.Table;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The statistics that a demonstration counts: the categories of each column of words, which some
 * people report instead of a gradient.
 *
 * @param notes the columns of words that are not counted, with the reasons, one sentence each
 */
record Counts(List<Statistic> statistics, Map<String, List<String>> values, List<String> notes) {
  /** So that some 4,000 people of the census vote. */
  private static final double PROBABILITY = 0.3;

  private static final int BAR = 40;

  /** Bytes of all statistics in an update; the demonstration's brokers accept 1 MiB. */
  private static final int MOST_BYTES = 1 << 19;

  /** Nothing is counted. */
  static Counts none() {
    return new Counts(List.of(), Map.of(), List.of());
  }

  /**
   * Counts the columns of words that a spec may count.
   *
   * @throws InputException if the data has no such column
   */
  static Counts of(DataSet data) {
    List<Statistic> statistics = new ArrayList<>();
    Map<String, List<String>> values = new LinkedHashMap<>();
    List<String> notes = new ArrayList<>();
    Set<String> questions = Set.of(data.problem().fitName(), AdaptiveClips.QUESTION);
    data.categories()
        .forEach(
            (column, words) -> {
              Statistic.Builder builder = Statistic.newBuilder().setName(column);
              builder.getChoiceBuilder().addAllCategories(new TreeSet<>(words));
              Statistic statistic = builder.build();
              String objection =
                  questions.contains(column)
                      ? "its name is that of a question"
                      : objection(statistic, statistics);
              if (objection.isEmpty()) {
                statistics.add(statistic);
                values.put(column, words);
              } else {
                notes.add("Not counted is the column '%s': %s.".formatted(column, objection));
              }
            });
    if (statistics.isEmpty()) {
      throw new InputException(
          "demo statistics: %s has no column of words to count, such as region%s"
              .formatted(data.name(), notes.isEmpty() ? "" : ". " + String.join(" ", notes)));
    }
    return new Counts(statistics, values, notes);
  }

  /** Why a statistic is not counted beside others, without any value of a person. */
  private static String objection(Statistic statistic, List<Statistic> others) {
    if (!Statistics.isValid(statistic)) {
      return ("it has %d different values; a statistic has a name of 1 to 100 letters, digits, '.',"
              + " '_' or '-', and 2 to 1024 categories of 1 to 100 characters, without control"
              + " characters, no blank at an end")
          .formatted(statistic.getChoice().getCategoriesCount());
    }
    if (others.size() == Statistics.MOST) {
      return "a model has at most %d statistics".formatted(Statistics.MOST);
    }
    ModelSpec all =
        ModelSpec.newBuilder().addAllStatistics(others).addStatistics(statistic).build();
    return ModelSpecs.statisticBytes(all) > MOST_BYTES
        ? "with it, each update would have more than %d bytes of statistics".formatted(MOST_BYTES)
        : "";
  }

  /** The spec with the statistics, unless its devices can't be asked for them. */
  ModelSpec in(ModelSpec spec) {
    return statistics.isEmpty() || ModelSpecs.isCentral(spec)
        ? spec
        : spec.toBuilder().addAllStatistics(statistics).setQuestionProbability(PROBABILITY).build();
  }

  /** Whether a person's category in a statistic is known. */
  boolean has(Statistic statistic) {
    return values.containsKey(statistic.getName());
  }

  /** The category of the person in a row of the data. */
  String category(Statistic statistic, int row) {
    return values.get(statistic.getName()).get(row);
  }

  /**
   * The true fractions of the categories, by the name of the statistic.
   *
   * @param rows the people who take part
   */
  Map<String, List<Double>> truth(int[] rows) {
    Map<String, List<Double>> truth = new LinkedHashMap<>();
    for (Statistic statistic : statistics) {
      List<String> categories = statistic.getChoice().getCategoriesList();
      double[] fractions = new double[categories.size()];
      for (int row : rows) {
        fractions[categories.indexOf(category(statistic, row))] += 1.0 / rows.length;
      }
      List<Double> all = new ArrayList<>();
      for (double fraction : fractions) {
        all.add(fraction);
      }
      truth.put(statistic.getName(), all);
    }
    return truth;
  }

  /**
   * A table of the estimates beside the truth, with bars: # up to the lower end of the interval, -
   * up to its upper end, and | at the truth.
   *
   * @param last the last updates of the models
   * @param rows the people who take part
   * @return in words; empty if nothing is counted
   */
  String text(List<ModelSnapshot> last, int[] rows) {
    Map<String, List<Double>> truth = truth(rows);
    Table table =
        new Table("category", "model", "estimated", "95 % interval", "in truth", "votes", "0 to 1")
            .words("model")
            .words("0 to 1");
    boolean isEmpty = true;
    for (ModelSnapshot model : last) {
      for (StatisticEstimate estimate : model.statistics()) {
        Statistic statistic = estimate.getStatistic();
        StatisticEstimate.Fractions fractions = estimate.getLasting();
        for (int j = 0; j < fractions.getFractionsCount(); j++) {
          isEmpty = false;
          double inTruth = truth.get(statistic.getName()).get(j);
          double low = fractions.getLow(j);
          double high = fractions.getHigh(j);
          table.row(
              statistic.getName() + " = " + statistic.getChoice().getCategories(j),
              model.modelId(),
              thousandths(fractions.getFractions(j)),
              thousandths(low) + " to " + thousandths(high),
              thousandths(inTruth),
              NumberFormats.count(fractions.getVotes()),
              bar(low, high, inTruth));
        }
      }
    }
    return isEmpty ? "" : table.text();
  }

  private static String thousandths(double fraction) {
    return String.format(Locale.ROOT, "%.3f", fraction);
  }

  static String bar(double low, double high, double truth) {
    StringBuilder bar = new StringBuilder();
    for (int i = 0; i < BAR; i++) {
      double middle = (i + 0.5) / BAR;
      bar.append(
          i == Math.min(BAR - 1, (int) (truth * BAR))
              ? '|'
              : middle <= low ? '#' : middle <= high ? '-' : ' ');
    }
    return bar.toString().stripTrailing();
  }
}
