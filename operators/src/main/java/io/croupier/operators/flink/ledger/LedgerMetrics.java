package io.croupier.operators.flink.ledger;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * Counts the ledger's verdicts by outcome: {@code reports-admitted}, {@code reports-refused-...}.
 * For models and users with limits it shows which share of them is spent: {@code spent-percent} of
 * the newest reports, and {@code reports-near-limit}, the number of reports after which a tenth of
 * a limit is left, or less. No metric identifies a user.
 */
final class LedgerMetrics {
  private static final int WINDOW = 1000;
  private static final double NEAR = 90;

  private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
  private final Histogram spentPercent;
  private final Counter nearLimit;

  LedgerMetrics(MetricGroup group) {
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.OUTCOME_UNSPECIFIED && outcome != Outcome.UNRECOGNIZED) {
        String name = outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
        outcomes.put(outcome, group.counter("reports-" + name));
      }
    }
    spentPercent = group.histogram("spent-percent", new DescriptiveStatisticsHistogram(WINDOW));
    nearLimit = group.counter("reports-near-limit");
  }

  void count(AccountingEvent event) {
    outcomes.get(event.getOutcome()).inc();
    double percent = 100 * SpentShare.of(event);
    if (percent >= 0) {
      spentPercent.update(Math.round(percent));
      if (percent >= NEAR) {
        nearLimit.inc();
      }
    }
  }
}
