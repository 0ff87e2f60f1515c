package io.croupier.cli.watch;

import com.google.gson.JsonElement;
import io.croupier.schemas.Quantiles;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Statistics;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A statistic and the first {@value #MOST} of its categories, or the most frequent of its texts, as
 * the page shows them: it is no place for a thousand of them.
 *
 * @param levels null if it counts texts
 * @param more how many categories or texts it has besides
 */
record StatisticView(
    String statistic, long votes, List<Category> categories, List<QuantileRow> levels, int more) {
  private static final int MOST = 64;

  /**
   * A category or a text.
   *
   * @param projected null of a text; null, as the three before it, if there is no estimate
   */
  private record Category(
      String category,
      Double fraction,
      Double low,
      Double high,
      Double projected,
      OtherVotes recent,
      OtherVotes always) {}

  /** Votes with other weights by age. */
  private record OtherVotes(double fraction, double low, double high) {

    /** Returns null without an estimate. */
    static OtherVotes of(StatisticEstimate.Fractions estimate, int j) {
      return j < estimate.getFractionsCount()
          ? new OtherVotes(estimate.getFractions(j), estimate.getLow(j), estimate.getHigh(j))
          : null;
    }
  }

  /** A quantile, with as many digits as its range has places. */
  private record QuantileRow(
      double level,
      JsonElement from,
      JsonElement to,
      long answers,
      JsonElement value,
      JsonElement low,
      JsonElement high) {}

  static StatisticView of(StatisticEstimate estimate) {
    Statistic statistic = estimate.getStatistic();
    if (statistic.hasPrefixes()) {
      return ofTexts(statistic.getName(), estimate.getTexts());
    }
    int count = statistic.getChoice().getCategoriesCount();
    return new StatisticView(
        statistic.getName(),
        estimate.getLasting().getVotes(),
        IntStream.range(0, Math.min(count, MOST)).mapToObj(j -> category(estimate, j)).toList(),
        levels(estimate),
        Math.max(0, count - MOST));
  }

  private static Category category(StatisticEstimate estimate, int j) {
    StatisticEstimate.Fractions lasting = estimate.getLasting();
    boolean counted = j < lasting.getFractionsCount();
    return new Category(
        estimate.getStatistic().getChoice().getCategories(j),
        counted ? lasting.getFractions(j) : null,
        counted ? lasting.getLow(j) : null,
        counted ? lasting.getHigh(j) : null,
        counted ? lasting.getProjected(j) : null,
        OtherVotes.of(estimate.getRecent(), j),
        OtherVotes.of(estimate.getAlways(), j));
  }

  private static StatisticView ofTexts(String name, StatisticEstimate.TextValues values) {
    List<Integer> ranked = Statistics.ranked(values);
    return new StatisticView(
        name,
        values.getVotes(),
        ranked.stream()
            .limit(MOST)
            .map(
                i ->
                    new Category(
                        values.getTexts(i),
                        values.getFractions(i),
                        values.getLow(i),
                        values.getHigh(i),
                        null,
                        null,
                        null))
            .toList(),
        null,
        Math.max(0, ranked.size() - MOST));
  }

  private static List<QuantileRow> levels(StatisticEstimate estimate) {
    Quantiles quantiles = estimate.getStatistic().getQuantiles();
    StatisticEstimate.QuantileValues values = estimate.getQuantiles();
    int digits = Statistics.digits(quantiles);
    return IntStream.range(0, quantiles.getLevelsCount())
        .mapToObj(
            i -> {
              boolean found = i < values.getValuesCount();
              return new QuantileRow(
                  quantiles.getLevels(i),
                  PageNumbers.number(quantiles.getFrom(), digits),
                  PageNumbers.number(quantiles.getTo(), digits),
                  values.getAnswers(),
                  found ? PageNumbers.number(values.getValues(i), digits) : null,
                  found ? PageNumbers.number(values.getLow(i), digits) : null,
                  found ? PageNumbers.number(values.getHigh(i), digits) : null);
            })
        .toList();
  }
}
