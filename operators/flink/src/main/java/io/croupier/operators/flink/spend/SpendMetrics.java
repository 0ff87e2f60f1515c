package io.croupier.operators.flink.spend;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** Counts the outcomes of anonymous reports: {@code anonymous-admitted} and so on. */
final class SpendMetrics {
  private final Map<SpendOutcome, Counter> outcomes = new EnumMap<>(SpendOutcome.class);

  /** What becomes of an anonymous report. */
  enum SpendOutcome {
    ADMITTED,
    /** The record is no well-formed report, or its key isn't the nonce of its token. */
    MALFORMED,
    /** The model doesn't exist, or takes no anonymous reports. */
    REFUSED_MODEL,
    /** The model doesn't accept the declaration, the dimension or the question. */
    REFUSED_DECLARATION,
    /** The window of the round is closed, or has no key yet. */
    REFUSED_WINDOW,
    /** The token isn't for this model, window and declaration, or not signed. */
    REFUSED_TOKEN,
    /** A token of this nonce was spent in the window. */
    REFUSED_SPENT
  }

  SpendMetrics(MetricGroup group) {
    for (SpendOutcome outcome : SpendOutcome.values()) {
      String name = outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
      outcomes.put(outcome, group.counter("anonymous-" + name));
    }
  }

  void count(SpendOutcome outcome) {
    outcomes.get(outcome).inc();
  }
}
