package io.croupier.operators.flink;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counts the ledger's verdicts by outcome: {@code reports-admitted}, {@code reports-refused-...}.
 */
final class LedgerMetrics {
  private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);

  LedgerMetrics(MetricGroup group) {
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.OUTCOME_UNSPECIFIED && outcome != Outcome.UNRECOGNIZED) {
        String name = outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
        outcomes.put(outcome, group.counter("reports-" + name));
      }
    }
  }

  void count(Outcome outcome) {
    outcomes.get(outcome).inc();
  }
}
