package io.croupier.operators.flink;

import io.croupier.operators.model.LiveModel.BundleOutcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * The metrics of the learner operator: reports by outcome, their staleness, publications and their
 * latency, and why models don't publish new rounds. They contain counts and names of models, never
 * a user or a part of a gradient.
 */
final class LearnerMetrics {
  private static final int WINDOW = 1000;

  private final Map<BundleOutcome, Counter> reports = new EnumMap<>(BundleOutcome.class);
  private final Counter retired;
  private final Counter publications;
  private final Histogram staleness;
  private final Histogram latency;
  private final MetricGroup group;

  LearnerMetrics(MetricGroup group, Backlog backlog) {
    this.group = group;
    group.gauge("lag-ms", (Gauge<Long>) backlog::lagMs);
    reports.put(BundleOutcome.OPEN, group.counter("reports-into-open-rounds"));
    reports.put(BundleOutcome.STEPPED, group.counter("reports-closing-rounds"));
    reports.put(BundleOutcome.DROPPED_STALE, group.counter("reports-dropped-stale"));
    reports.put(BundleOutcome.DROPPED_UNPUBLISHED, group.counter("reports-dropped-unpublished"));
    retired = group.counter("reports-of-retired-models");
    publications = group.counter("publications");
    staleness = group.histogram("staleness", new DescriptiveStatisticsHistogram(WINDOW));
    latency = group.histogram("publication-latency-ms", new DescriptiveStatisticsHistogram(WINDOW));
  }

  /**
   * Registers the gauges of a model.
   *
   * @param lagMs age of the model's last report on arrival
   * @param gate why a new round waits, and for how long
   */
  void model(String modelId, LongSupplier lagMs, RoundGate gate, LongSupplier clock) {
    MetricGroup ofModel = group.addGroup("model", modelId);
    ofModel.gauge("lag-ms", (Gauge<Long>) lagMs::getAsLong);
    ofModel.gauge("hold", (Gauge<Integer>) () -> gate.hold().code());
    ofModel.gauge("held-ms", (Gauge<Long>) () -> gate.heldMs(clock.getAsLong()));
  }

  /** Counts the reports of a bundle. */
  void reports(BundleOutcome outcome, int count) {
    reports.get(outcome).inc(count);
  }

  /** Counts reports whose model was retired, or replaced, after they were admitted. */
  void reportsOfRetiredModel(int count) {
    retired.inc(count);
  }

  /** Records how many publications the newest one is ahead of the one that a used bundle names. */
  void staleness(int publicationsBehind) {
    staleness.update(publicationsBehind);
  }

  /** Counts a publication and records how long its oldest report had waited. */
  void published(long waitedMs) {
    publications.inc();
    latency.update(waitedMs);
  }
}
