package io.croupier.operators.flink.learner;

import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.StatisticEstimate;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * The metrics of the learner operator: reports by outcome, their staleness, publications and their
 * latency, why models don't publish new rounds, their memory, and the estimates that they publish;
 * of all models of the subtask together, and of each. They contain counts, estimates and names of
 * models, never a user or a part of a gradient.
 *
 * <p>Metrics of a model stay registered until the job restarts, so only the first {@value
 * #MOST_MODELS} models of a subtask have some.
 */
final class LearnerMetrics {
  /** The most models of a subtask that have metrics of their own. */
  static final int MOST_MODELS = 200;

  /** The diagnostics of a memory. */
  private static final List<String> MEMORY = List.of("half-life", "drifting");

  private static final int WINDOW = 1000;
  private static final int WINDOW_OF_MODEL = 200;

  /** The estimates that are shown, by model and question. */
  private final Map<String, Map<String, AtomicReference<Estimate>>> estimates = new HashMap<>();

  private final Map<String, StatisticGauges> statistics = new HashMap<>();

  /** The diagnostics that are shown, by model and name. */
  private final Map<String, Map<String, AtomicReference<Double>>> memories = new HashMap<>();

  private final Map<String, Figures> ofModels = new HashMap<>();
  private final Figures all;
  private final MetricGroup group;
  private int unnamed;

  /** Counters and histograms of one model, or of all. */
  private static final class Figures {
    private final Map<BundleOutcome, Counter> reports = new EnumMap<>(BundleOutcome.class);
    private final Counter retired;
    private final Counter publications;
    private final Counter held;
    private final Histogram staleness;
    private final Histogram latency;

    Figures(MetricGroup group, int window) {
      reports.put(BundleOutcome.OPEN, group.counter("reports-into-open-rounds"));
      reports.put(BundleOutcome.TALLIED, group.counter("answers-tallied"));
      reports.put(BundleOutcome.DROPPED_STALE, group.counter("reports-dropped-stale"));
      reports.put(BundleOutcome.DROPPED_UNPUBLISHED, group.counter("reports-dropped-unpublished"));
      reports.put(BundleOutcome.DROPPED_BOUND, group.counter("reports-dropped-bound"));
      retired = group.counter("reports-of-retired-models");
      publications = group.counter("publications");
      held = group.counter("publications-held");
      staleness = group.histogram("staleness", new DescriptiveStatisticsHistogram(window));
      latency =
          group.histogram("publication-latency-ms", new DescriptiveStatisticsHistogram(window));
    }
  }

  /**
   * Registers the metrics of all models together.
   *
   * @param lagMs age of the last report on arrival
   */
  LearnerMetrics(MetricGroup group, LongSupplier lagMs) {
    this.group = group;
    all = new Figures(group, WINDOW);
    group.gauge("lag-ms", (Gauge<Long>) lagMs::getAsLong);
    group.gauge("models-without-metrics", (Gauge<Integer>) () -> unnamed);
  }

  /**
   * Registers the metrics of a model, unless too many models have some.
   *
   * @param lagMs age of the model's last report on arrival
   * @param open reports in the open round
   * @param gate why a new round waits, and for how long
   */
  void model(
      String modelId, LongSupplier lagMs, LongSupplier open, RoundGate gate, LongSupplier clock) {
    if (ofModels.size() == MOST_MODELS) {
      unnamed++;
      return;
    }
    MetricGroup ofModel = group.addGroup("model", modelId);
    ofModels.put(modelId, new Figures(ofModel, WINDOW_OF_MODEL));
    ofModel.gauge("lag-ms", (Gauge<Long>) lagMs::getAsLong);
    ofModel.gauge("reports-in-open-round", (Gauge<Long>) open::getAsLong);
    ofModel.gauge("hold", (Gauge<Integer>) () -> gate.hold().getNumber());
    ofModel.gauge("held-ms", (Gauge<Long>) () -> gate.heldMs(clock.getAsLong()));
  }

  /**
   * Shows the newest estimates of a model; a gauge of a question is registered at the first one.
   * Questions that are not among them have no estimate from now on.
   *
   * @param newest empty for a model that asks nothing, or was retired
   */
  void estimates(String modelId, List<Estimate> newest) {
    if (ofModels.size() == MOST_MODELS && !ofModels.containsKey(modelId)) {
      return;
    }
    Map<String, AtomicReference<Estimate>> ofModel =
        estimates.computeIfAbsent(modelId, key -> new HashMap<>());
    ofModel.values().forEach(shown -> shown.set(Estimate.getDefaultInstance()));
    for (Estimate estimate : newest) {
      ofModel
          .computeIfAbsent(
              estimate.getQuestion().getName(), question -> estimate(modelId, question, estimate))
          .set(estimate);
    }
  }

  /**
   * Shows the newest estimates of a model's statistics.
   *
   * @param newest empty for a model that has none, or was retired
   */
  void statistics(String modelId, List<StatisticEstimate> newest) {
    if (ofModels.size() == MOST_MODELS && !ofModels.containsKey(modelId)) {
      return;
    }
    statistics
        .computeIfAbsent(modelId, key -> new StatisticGauges(group.addGroup("model", modelId)))
        .show(newest);
  }

  /**
   * Shows the memory in force of a model that has one, and whether people drift. The gauges are
   * registered at the first update that contains them.
   *
   * @param diagnostics of the newest update
   */
  void memory(String modelId, Map<String, Double> diagnostics) {
    if (ofModels.size() == MOST_MODELS && !ofModels.containsKey(modelId)) {
      return;
    }
    Map<String, AtomicReference<Double>> shown =
        memories.computeIfAbsent(modelId, key -> new HashMap<>());
    for (String name : MEMORY) {
      if (diagnostics.containsKey(name) || shown.containsKey(name)) {
        shown
            .computeIfAbsent(name, key -> value(modelId, name))
            .set(diagnostics.getOrDefault(name, Double.NaN));
      }
    }
  }

  private AtomicReference<Double> value(String modelId, String name) {
    AtomicReference<Double> shown = new AtomicReference<>(Double.NaN);
    group.addGroup("model", modelId).gauge(name, (Gauge<Double>) shown::get);
    return shown;
  }

  private AtomicReference<Estimate> estimate(String modelId, String question, Estimate first) {
    AtomicReference<Estimate> shown = new AtomicReference<>(first);
    MetricGroup of = group.addGroup("model", modelId).addGroup("question", question);
    of.gauge("fraction", gauge(shown, Estimate::getFraction));
    of.gauge("standard-error", gauge(shown, Estimate::getStandardError));
    of.gauge("low", gauge(shown, Estimate::getLow));
    of.gauge("high", gauge(shown, Estimate::getHigh));
    of.gauge("answers", (Gauge<Long>) () -> shown.get().getAnswers());
    of.gauge("recent-fraction", recent(shown, Estimate.Recent::getFraction));
    of.gauge("recent-standard-error", recent(shown, Estimate.Recent::getStandardError));
    of.gauge("recent-low", recent(shown, Estimate.Recent::getLow));
    of.gauge("recent-high", recent(shown, Estimate.Recent::getHigh));
    of.gauge("recent-answers", (Gauge<Long>) () -> shown.get().getRecent().getAnswers());
    return shown;
  }

  /** The same, and NaN while all answers are old. */
  private static Gauge<Double> recent(
      AtomicReference<Estimate> shown, ToDoubleFunction<Estimate.Recent> value) {
    return () -> {
      Estimate estimate = shown.get();
      return estimate.hasRecent() ? value.applyAsDouble(estimate.getRecent()) : Double.NaN;
    };
  }

  /** A gauge that is NaN before the first answer, and once the question is no longer asked. */
  private static Gauge<Double> gauge(
      AtomicReference<Estimate> shown, ToDoubleFunction<Estimate> value) {
    return () -> {
      Estimate estimate = shown.get();
      return estimate.hasFraction() ? value.applyAsDouble(estimate) : Double.NaN;
    };
  }

  /** Counts the reports of a bundle. */
  void reports(String modelId, BundleOutcome outcome, int count) {
    count(modelId, figures -> figures.reports.get(outcome).inc(count));
  }

  /** Counts reports whose model was retired, or replaced, after they were admitted. */
  void reportsOfRetiredModel(String modelId, int count) {
    count(modelId, figures -> figures.retired.inc(count));
  }

  /** Records how many publications the newest one is ahead of the one that a used bundle names. */
  void staleness(String modelId, int publicationsBehind) {
    count(modelId, figures -> figures.staleness.update(publicationsBehind));
  }

  /** Counts a publication and records how long its oldest report had waited. */
  void published(String modelId, long waitedMs) {
    count(
        modelId,
        figures -> {
          figures.publications.inc();
          figures.latency.update(waitedMs);
        });
  }

  /** Counts a checkpoint at which a new round waited. */
  void held(String modelId) {
    count(modelId, figures -> figures.held.inc());
  }

  private void count(String modelId, Consumer<Figures> counting) {
    counting.accept(all);
    Figures ofModel = ofModels.get(modelId);
    if (ofModel != null) {
      counting.accept(ofModel);
    }
  }
}
