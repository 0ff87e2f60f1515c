package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class LedgerMetricsTest {
  private final Map<String, Counter> counters = new TreeMap<>();
  private final LedgerMetrics metrics = new LedgerMetrics(new Counters("", counters));

  /** Keeps the counters that are registered. */
  private static final class Counters extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Counter> counters;

    Counters(String prefix, Map<String, Counter> counters) {
      this.prefix = prefix;
      this.counters = counters;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Counters(prefix + key + "." + value + ".", counters);
    }

    @Override
    public Counter counter(String name) {
      return counters.computeIfAbsent(prefix + name, key -> new SimpleCounter());
    }
  }

  private void count(String modelId, Outcome outcome) {
    metrics.count(AccountingEvent.newBuilder().setModelId(modelId).setOutcome(outcome).build());
  }

  private long value(String name) {
    return counters.get(name).getCount();
  }

  @Test
  void verdictsBelongToTheirModelAndToAll() {
    metrics.model("m");
    metrics.model("other");
    count("m", Outcome.ADMITTED);
    count("m", Outcome.ADMITTED);
    count("other", Outcome.ADMITTED);
    count("other", Outcome.REFUSED_BUDGET);
    count("invented", Outcome.REFUSED_UNKNOWN_MODEL);
    metrics.model("m"); // a later spec

    assertThat(value("reports-admitted")).isEqualTo(3);
    assertThat(value("model.m.reports-admitted")).isEqualTo(2);
    assertThat(value("model.other.reports-admitted")).isEqualTo(1);
    assertThat(value("model.m.reports-refused-budget")).isZero();
    assertThat(value("model.other.reports-refused-budget")).isEqualTo(1);
    assertThat(value("reports-refused-unknown-model")).isEqualTo(1);
    assertThat(counters.keySet()).noneMatch(name -> name.contains("invented"));
  }

  @Test
  void noMoreThanTwoHundredModelsHaveMetrics() {
    for (int i = 0; i < LedgerMetrics.MOST_MODELS; i++) {
      metrics.model("m" + i);
    }
    int registered = counters.size();
    metrics.model("late");
    count("late", Outcome.ADMITTED);

    assertThat(counters).hasSize(registered);
    assertThat(value("reports-admitted")).isEqualTo(1);
  }
}
