package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.TextCandidates;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The option that states a person's category or value in the statistics of a model. */
final class CategoryOptions {

  // A map of Picocli would keep the last of several values of a statistic.
  @Option(
      names = "--category",
      paramLabel = "NAME=VALUE",
      description = {
        "The person's category in the statistic NAME of the model, or number where it is one of"
            + " quantiles, or text where it is one of prefixes; may be repeated. If a round asks"
            + " for it, it is reported instead of a gradient, randomised with the same epsilon. A"
            + " VALUE that is none of the statistic's categories counts as the last of them, one"
            + " that is no number as its lower end, one that is no text of its alphabet as an empty"
            + " one. A statistic without this option gets no report. A person votes once in a"
            + " round, however many lines standard input has; not for --each-row."
      })
  private List<String> given = List.of();

  /**
   * The categories and values by the names of their statistics.
   *
   * @throws InputException if one has no name, or two have the same
   */
  Map<String, String> byName() {
    Map<String, String> byName = new LinkedHashMap<>();
    for (String category : given) {
      int end = category.indexOf('=');
      if (end < 1) {
        // Not quoted: it may be the person's category alone.
        throw new InputException("--category lacks a name; it must be NAME=VALUE");
      }
      String name = category.substring(0, end);
      if (byName.put(name, category.substring(end + 1)) != null) {
        throw new InputException(
            "--category %s is given twice; a person has one category in a statistic"
                .formatted(name));
      }
    }
    return byName;
  }

  /**
   * Requires that the model has each statistic. A value that isn't the statistic's gets a warning
   * alone: its report is one as any other, so only the person's own console shows it.
   *
   * @throws InputException if the model lacks a statistic
   */
  static void check(
      Map<String, String> categories, ModelSnapshot model, Consumer<String> warnings) {
    Map<String, Statistic> statistics = new LinkedHashMap<>();
    for (StatisticEstimate estimate : model.statistics()) {
      statistics.put(estimate.getStatistic().getName(), estimate.getStatistic());
    }
    categories.forEach(
        (name, value) -> {
          if (!statistics.containsKey(name)) {
            throw new InputException(
                "--category %s: model '%s' has no such statistic; it has: %s"
                    .formatted(
                        name,
                        model.modelId(),
                        statistics.isEmpty() ? "none" : String.join(", ", statistics.keySet())));
          }
          String fallback = fallback(statistics.get(name), value);
          if (!fallback.isEmpty()) {
            warnings.accept("Warning: the value of --category %s is %s".formatted(name, fallback));
          }
        });
  }

  /** What the value isn't, and what it counts as; empty for a value of the statistic. */
  private static String fallback(Statistic statistic, String value) {
    return switch (statistic.getKindCase()) {
      case CHOICE -> {
        List<String> categories = statistic.getChoice().getCategoriesList();
        yield categories.contains(value)
            ? ""
            : "none of its categories, and counts as '%s', the last of them"
                .formatted(categories.get(categories.size() - 1));
      }
      case QUANTILES ->
          Double.isNaN(EvaluatedGradient.number(value))
              ? "no number, and counts as %s, the lower end of its range"
                  .formatted(statistic.getQuantiles().getFrom())
              : "";
      case PREFIXES ->
          TextCandidates.isText(statistic.getPrefixes(), value)
              ? ""
              : "too long or has letters beyond its alphabet, and counts as an empty text";
      case KIND_NOT_SET -> "";
    };
  }
}
