package io.croupier.cli.follow;

import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.PredictionRules;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** An update in words, for operators: the reports, the clip, and what answers and votes imply. */
final class UpdateText {

  private UpdateText() {}

  /**
   * The lines of an update.
   *
   * @param lossBound bound on the loss of the model's questions; empty: as {@link MeanLoss#of}
   *     derives it
   */
  static List<String> lines(ModelSnapshot update, OptionalDouble lossBound) {
    List<String> lines = new ArrayList<>();
    lines.add(reports(update));
    update
        .predicts()
        .map(PredictionRules::inWords)
        .ifPresent(what -> lines.add("  predicts " + what));
    if (update.dimension() > 0) {
      lines.add("  " + clip(update));
      update
          .averageRound()
          .ifPresent(
              round -> lines.add(format("  average: that of round %,d, rolled back", round)));
    }
    for (Estimate estimate : update.estimates()) {
      lines.add("  " + inWords(estimate));
    }
    update.statistics().forEach(statistic -> lines.addAll(inWords(statistic)));
    MeanLoss.of(update.estimates(), lossBound).ifPresent(mean -> lines.add("  " + inWords(mean)));
    return lines;
  }

  private static String reports(ModelSnapshot update) {
    String taken =
        update.dimension() == 0
            ? format("%,d answers, %,d of them open", update.answers(), update.open())
            : format(
                "%,d reports used, %,d answers, %,d open",
                update.used(), update.answers(), update.open());
    return format(
        "%s, round %,d: %s; dropped: %,d stale, %,d at an unpublished round, %,d with another clip",
        update.modelId(),
        update.round(),
        taken,
        update.droppedStale(),
        update.droppedUnpublished(),
        update.droppedBound());
  }

  private static String clip(ModelSnapshot update) {
    Optional<AdaptiveClip.Size> size = update.size();
    if (size.isEmpty()) {
      return format("clip: %s, fixed", digits(update.gradientBound()));
    }
    return format(
        "clip: %s of the size %s%s%s",
        digits(update.gradientBound()),
        size.get(),
        update.slopeBound() > 0 ? ", slope bound " + digits(update.slopeBound()) : "",
        update.isScouting()
            ? "; scouting: devices are asked for their sizes, and for no gradient"
            : "");
  }

  private static String inWords(Estimate estimate) {
    String name = estimate.getQuestion().getName();
    if (!estimate.hasFraction()) {
      return name + ": no answers";
    }
    String lasting =
        inWords(
            estimate.getFraction(), estimate.getLow(), estimate.getHigh(), estimate.getAnswers());
    return format(
        "%s: %s%s%s",
        name,
        lasting,
        estimate.hasRecent() ? "; recently " + inWords(estimate.getRecent()) : "",
        estimate.hasAlways() ? "; at every look " + inWords(estimate.getAlways()) : "");
  }

  private static String inWords(Estimate.Recent estimate) {
    return inWords(
        estimate.getFraction(), estimate.getLow(), estimate.getHigh(), estimate.getAnswers());
  }

  /** A fraction outside [0, 1] is printed as the end that it is beyond. */
  private static String inWords(double fraction, double low, double high, long answers) {
    return format(
        "%s, from %.3f to %.3f (95 %%), worth %,d answers of equal age",
        possible(fraction), low, high, answers);
  }

  private static String possible(double fraction) {
    double possible = Math.min(1, Math.max(0, fraction));
    return format("%.3f%s", possible, possible == fraction ? "" : " (clipped)");
  }

  /** A line for the statistic, and one for each of its categories, levels or texts. */
  private static List<String> inWords(StatisticEstimate estimate) {
    Statistic statistic = estimate.getStatistic();
    String name = "  " + statistic.getName();
    if (statistic.hasQuantiles()) {
      return quantiles(name, estimate);
    }
    if (statistic.hasPrefixes()) {
      return texts(name, estimate.getTexts());
    }
    if (!estimate.hasLasting()) {
      return List.of(name + ": no votes");
    }
    StatisticEstimate.Fractions lasting = estimate.getLasting();
    List<String> lines = new ArrayList<>();
    lines.add(format("%s: worth %,d votes of equal age", name, lasting.getVotes()));
    for (int j = 0; j < lasting.getFractionsCount(); j++) {
      StatisticEstimate.Fractions recent = estimate.getRecent();
      lines.add(
          format(
              "    %s: %s, projected %.3f%s%s",
              statistic.getChoice().getCategories(j),
              inWords(lasting, j),
              lasting.getProjected(j),
              estimate.hasRecent() ? "; recently " + inWords(recent, j) : "",
              estimate.hasAlways() ? "; at every look " + inWords(estimate.getAlways(), j) : ""));
    }
    return lines;
  }

  private static List<String> quantiles(String name, StatisticEstimate estimate) {
    StatisticEstimate.QuantileValues quantiles = estimate.getQuantiles();
    int digits = Statistics.digits(estimate.getStatistic().getQuantiles());
    String asked = "asks whether a value is above " + digits(estimate.getThreshold(), digits);
    if (!estimate.hasQuantiles()) {
      return List.of(format("%s: no answers; %s", name, asked));
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        format("%s: worth %,d answers of equal age; %s", name, quantiles.getAnswers(), asked));
    for (int i = 0; i < quantiles.getValuesCount(); i++) {
      lines.add(
          format(
              "    %s of the people are at most at %s, from %s to %s (95 %%)",
              estimate.getStatistic().getQuantiles().getLevels(i),
              digits(quantiles.getValues(i), digits),
              digits(quantiles.getLow(i), digits),
              digits(quantiles.getHigh(i), digits)));
    }
    return lines;
  }

  /** A line for the statistic, and one for each text, the most frequent one first. */
  private static List<String> texts(String name, StatisticEstimate.TextValues values) {
    List<Integer> ranked = Statistics.ranked(values);
    List<String> lines = new ArrayList<>();
    lines.add(
        format(
            "%s: worth %,d votes of equal age; texts: %d", name, values.getVotes(), ranked.size()));
    for (int i : ranked) {
      lines.add(
          format(
              "    %s: %s, from %.3f to %.3f (95 %%)",
              values.getTexts(i),
              possible(values.getFractions(i)),
              values.getLow(i),
              values.getHigh(i)));
    }
    return lines;
  }

  private static String inWords(StatisticEstimate.Fractions fractions, int category) {
    return format(
        "%s, from %.3f to %.3f (95 %%)",
        possible(fractions.getFractions(category)),
        fractions.getLow(category),
        fractions.getHigh(category));
  }

  private static String inWords(MeanLoss mean) {
    return format(
        "mean loss, each cut off at %s: %.3f +- %.3f (95 %%), and up to %s due to the distance of"
            + " the thresholds",
        digits(mean.bound()),
        mean.mean(),
        MeanLoss.QUANTILE * mean.standardError(),
        digits(mean.resolution()));
  }

  private static String digits(double value) {
    return digits(value, 4);
  }

  private static String digits(double value, int digits) {
    return format("%." + digits + "g", value);
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }
}
