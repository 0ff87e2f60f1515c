package io.croupier.operators.flink.ledger;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * Counts the ledger's verdicts by outcome: {@code reports-admitted}, {@code reports-refused-...};
 * of all reports, and of those to each published model. For models and users with limits it shows
 * which share of them is spent: {@code spent-percent} of the newest reports, and {@code
 * reports-near-limit}, the number of reports after which a tenth of a limit is left, or less. No
 * metric identifies a user.
 *
 * <p>Metrics of a model stay registered until the job restarts, so only the first {@value
 * #MOST_MODELS} models have some. Senders can invent names of models, which never get any.
 */
final class LedgerMetrics {
  /** The most models that have metrics of their own. */
  static final int MOST_MODELS = 200;

  private static final Set<Outcome> NO_VERDICTS =
      EnumSet.of(Outcome.OUTCOME_UNSPECIFIED, Outcome.ERASED, Outcome.UNRECOGNIZED);

  private static final int WINDOW = 1000;
  private static final double NEAR = 90;

  private final MetricGroup group;
  private final Map<Outcome, Counter> outcomes;
  private final Map<String, Map<Outcome, Counter>> ofModels = new HashMap<>();
  private final Histogram spentPercent;
  private final Counter nearLimit;
  private final Counter erased;
  private final Counter answered;

  LedgerMetrics(MetricGroup group) {
    this.group = group;
    outcomes = outcomes(group);
    spentPercent = group.histogram("spent-percent", new DescriptiveStatisticsHistogram(WINDOW));
    nearLimit = group.counter("reports-near-limit");
    erased = group.counter("accounts-erased");
    answered = group.counter("accounts-answered");
  }

  private static Map<Outcome, Counter> outcomes(MetricGroup group) {
    Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      if (!NO_VERDICTS.contains(outcome)) {
        String name = outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
        outcomes.put(outcome, group.counter("reports-" + name));
      }
    }
    return outcomes;
  }

  /** Registers the counters of a published model, unless too many models have some. */
  void model(String modelId) {
    if (ofModels.size() < MOST_MODELS && !ofModels.containsKey(modelId)) {
      ofModels.put(modelId, outcomes(group.addGroup("model", modelId)));
    }
  }

  /** Counts an erased account. */
  void erased() {
    erased.inc();
  }

  /** Counts a request for an account. */
  void answered() {
    answered.inc();
  }

  /** Counts the verdict on a report. */
  void count(AccountingEvent event) {
    outcomes.get(event.getOutcome()).inc();
    Map<Outcome, Counter> ofModel = ofModels.get(event.getModelId());
    if (ofModel != null) {
      ofModel.get(event.getOutcome()).inc();
    }
    double percent = 100 * SpentShare.of(event);
    if (percent >= 0) {
      spentPercent.update(Math.round(percent));
      if (percent >= NEAR) {
        nearLimit.inc();
      }
    }
  }
}
