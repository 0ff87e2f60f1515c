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
 * The newest estimates of one model's statistics as metrics: a group for each level of quantiles,
 * and for each of the first {@value #MOST_CATEGORIES} categories of a choice. They stay registered
 * until the job restarts.
 */
final class StatisticGauges {
  static final int MOST_CATEGORIES = 64;

  private static final Shown NONE = new Shown(Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0);

  /** By statistic, then by category. */
  private final Map<String, Map<String, AtomicReference<Shown>>> shown = new HashMap<>();

  /** Of quantiles, by statistic, then by level. */
  private final Map<String, Map<Double, AtomicReference<Gauged>>> measured = new HashMap<>();

  private final MetricGroup ofModel;

  private record Gauged(double value, double low, double high, long answers) {
    static final Gauged NONE = new Gauged(Double.NaN, Double.NaN, Double.NaN, 0);

    static Gauged of(StatisticEstimate.QuantileValues quantiles, int level) {
      return level >= quantiles.getValuesCount()
          ? NONE
          : new Gauged(
              quantiles.getValues(level),
              quantiles.getLow(level),
              quantiles.getHigh(level),
              quantiles.getAnswers());
    }
  }

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
    measured.values().forEach(levels -> levels.values().forEach(each -> each.set(Gauged.NONE)));
    for (StatisticEstimate estimate : newest) {
      showQuantiles(estimate);
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

  private void showQuantiles(StatisticEstimate estimate) {
    String statistic = estimate.getStatistic().getName();
    List<Double> levels = estimate.getStatistic().getQuantiles().getLevelsList();
    for (int i = 0; i < levels.size(); i++) {
      measured
          .computeIfAbsent(statistic, name -> new HashMap<>())
          .computeIfAbsent(levels.get(i), level -> register(statistic, level))
          .set(Gauged.of(estimate.getQuantiles(), i));
    }
  }

  private AtomicReference<Gauged> register(String statistic, double level) {
    AtomicReference<Gauged> newest = new AtomicReference<>(Gauged.NONE);
    MetricGroup of =
        ofModel.addGroup("statistic", statistic).addGroup("level", String.valueOf(level));
    of.gauge("value", (Gauge<Double>) () -> newest.get().value());
    of.gauge("low", (Gauge<Double>) () -> newest.get().low());
    of.gauge("high", (Gauge<Double>) () -> newest.get().high());
    of.gauge("answers", (Gauge<Long>) () -> newest.get().answers());
    return newest;
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
