package io.croupier.operators.flink.learner;

import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The newest estimates of one model's statistics as metrics: a group for each of the first {@value
 * #MOST_CATEGORIES} categories of a statistic. They stay registered until the job restarts.
 */
final class StatisticGauges {
  static final int MOST_CATEGORIES = 64;

  private static final Shown NONE = new Shown(Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0);

  /** By statistic, then by category. */
  private final Map<String, Map<String, AtomicReference<Shown>>> shown = new HashMap<>();

  private final MetricGroup ofModel;

  private record Shown(double fraction, double error, double low, double high, long votes) {

    static Shown of(StatisticEstimate.Fractions fractions, int category) {
      return category >= fractions.getFractionsCount()
          ? NONE
          : new Shown(
              fractions.getFractions(category),
              fractions.getStandardErrors(category),
              fractions.getLow(category),
              fractions.getHigh(category),
              fractions.getVotes());
    }
  }

  StatisticGauges(MetricGroup ofModel) {
    this.ofModel = ofModel;
  }

  /** Shows the newest estimates; a category that is not among them has none from now on. */
  void show(List<StatisticEstimate> newest) {
    shown.values().forEach(categories -> categories.values().forEach(each -> each.set(NONE)));
    for (StatisticEstimate estimate : newest) {
      Statistic statistic = estimate.getStatistic();
      List<String> categories = statistic.getChoice().getCategoriesList();
      for (int j = 0; j < Math.min(MOST_CATEGORIES, categories.size()); j++) {
        shown
            .computeIfAbsent(statistic.getName(), name -> new HashMap<>())
            .computeIfAbsent(categories.get(j), name -> register(statistic.getName(), name))
            .set(Shown.of(estimate.getLasting(), j));
      }
    }
  }

  private AtomicReference<Shown> register(String statistic, String category) {
    AtomicReference<Shown> newest = new AtomicReference<>(NONE);
    MetricGroup of = ofModel.addGroup("statistic", statistic).addGroup("category", category);
    of.gauge("fraction", (Gauge<Double>) () -> newest.get().fraction());
    of.gauge("standard-error", (Gauge<Double>) () -> newest.get().error());
    of.gauge("low", (Gauge<Double>) () -> newest.get().low());
    of.gauge("high", (Gauge<Double>) () -> newest.get().high());
    of.gauge("votes", (Gauge<Long>) () -> newest.get().votes());
    return newest;
  }
}
