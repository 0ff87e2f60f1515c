package io.croupier.operators.flink;

import io.croupier.operators.model.LiveModel.Fate;
import java.util.EnumMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * What the learner operator counts: reports by what became of them, their staleness, and the
 * publications with their latency. Numbers only: no model, no user, nothing of a gradient.
 */
final class LearnerMetrics {
  private static final int WINDOW = 1000;

  private final Map<Fate, Counter> reports = new EnumMap<>(Fate.class);
  private final Counter retired;
  private final Counter publications;
  private final Histogram staleness;
  private final Histogram latency;

  LearnerMetrics(MetricGroup group) {
    reports.put(Fate.OPEN, group.counter("reports-into-open-rounds"));
    reports.put(Fate.STEPPED, group.counter("reports-closing-rounds"));
    reports.put(Fate.DROPPED_STALE, group.counter("reports-dropped-stale"));
    reports.put(Fate.DROPPED_UNPUBLISHED, group.counter("reports-dropped-unpublished"));
    retired = group.counter("reports-of-retired-models");
    publications = group.counter("publications");
    staleness = group.histogram("staleness", new DescriptiveStatisticsHistogram(WINDOW));
    latency = group.histogram("publication-latency-ms", new DescriptiveStatisticsHistogram(WINDOW));
  }

  /** Counts the reports of a bundle. */
  void reports(Fate fate, int count) {
    reports.get(fate).inc(count);
  }

  /** Counts reports to a model that was retired, or replaced, since they were admitted. */
  void reportsOfRetiredModel(int count) {
    retired.inc(count);
  }

  /** Publications between the newest and the one that a used bundle names. */
  void staleness(int publicationsBehind) {
    staleness.update(publicationsBehind);
  }

  /** Counts a publication, and how long its oldest news had waited. */
  void published(long waitedMs) {
    publications.inc();
    latency.update(waitedMs);
  }
}
