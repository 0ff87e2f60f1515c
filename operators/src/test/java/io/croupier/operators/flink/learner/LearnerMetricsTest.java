package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.LiveModel;
import io.croupier.schemas.Estimate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class LearnerMetricsTest {

  /** Keeps the gauges that are registered. */
  private static final class Gauges extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Gauge<?>> gauges;

    Gauges(String prefix, Map<String, Gauge<?>> gauges) {
      this.prefix = prefix;
      this.gauges = gauges;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Gauges(prefix + key + "." + value + ".", gauges);
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      gauges.put(prefix + name, gauge);
      return gauge;
    }
  }

  @Test
  void holdsTheirReasonAndTheLagAreGaugesOfEachModel() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    Backlog backlog = new Backlog(LearnerTasks.PUBLICATIONS.maxLag());
    LearnerMetrics metrics = new LearnerMetrics(new Gauges("", gauges), backlog);
    RoundGate gate = new RoundGate(LearnerTasks.PUBLICATIONS);
    long[] clock = {5_000};
    metrics.model("m", () -> 7, gate, () -> clock[0]);
    assertThat(values(gauges))
        .isEqualTo(
            Map.of("lag-ms", 0L, "model.m.lag-ms", 7L, "model.m.hold", 0, "model.m.held-ms", 0L));

    LiveModel model = LiveModel.begin(TestRecords.sgd("m").build(), 0);
    model.publish(true, clock[0]);
    model.add(TestRecords.dense("m", 0, 1, 0));
    assertThat(gate.mayOpen(model, backlog, clock[0])).isFalse();
    backlog.arrived(4_900, clock[0]);
    clock[0] += 30;
    assertThat(values(gauges))
        .isEqualTo(
            Map.of(
                "lag-ms", 100L, "model.m.lag-ms", 7L, "model.m.hold", 2, "model.m.held-ms", 30L));
  }

  @Test
  void estimatesAreGaugesOfEachQuestion() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics =
        new LearnerMetrics(new Gauges("", gauges), new Backlog(LearnerTasks.PUBLICATIONS.maxLag()));
    Estimate.Builder estimate = Estimate.newBuilder().setAnswers(0);
    estimate.getQuestionBuilder().setName("a");
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", Double.NaN)
        .containsEntry("model.m.question.a.answers", 0L);
    estimate.setFraction(0.5).setStandardError(0.1).setLow(0.3).setHigh(0.7).setAnswers(9);
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", 0.5)
        .containsEntry("model.m.question.a.standard-error", 0.1)
        .containsEntry("model.m.question.a.low", 0.3)
        .containsEntry("model.m.question.a.high", 0.7)
        .containsEntry("model.m.question.a.answers", 9L);
  }

  /** A question of another model keeps its values. */
  @Test
  void aRemovedQuestionHasNoEstimate() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics =
        new LearnerMetrics(new Gauges("", gauges), new Backlog(LearnerTasks.PUBLICATIONS.maxLag()));
    Estimate a = estimate("a");
    Estimate b = estimate("b");
    metrics.estimates("m", List.of(a, b));
    metrics.estimates("other", List.of(a));

    metrics.estimates("m", List.of(b));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", Double.NaN)
        .containsEntry("model.m.question.a.standard-error", Double.NaN)
        .containsEntry("model.m.question.a.low", Double.NaN)
        .containsEntry("model.m.question.a.high", Double.NaN)
        .containsEntry("model.m.question.a.answers", 0L)
        .containsEntry("model.m.question.b.fraction", 0.5)
        .containsEntry("model.other.question.a.fraction", 0.5);

    metrics.estimates("m", List.of());
    assertThat(values(gauges))
        .containsEntry("model.m.question.b.fraction", Double.NaN)
        .containsEntry("model.m.question.b.answers", 0L)
        .containsEntry("model.other.question.a.answers", 9L);

    metrics.estimates("m", List.of(a));
    assertThat(values(gauges)).containsEntry("model.m.question.a.fraction", 0.5);
  }

  private static Estimate estimate(String question) {
    Estimate.Builder estimate =
        Estimate.newBuilder()
            .setFraction(0.5)
            .setStandardError(0.1)
            .setLow(0.3)
            .setHigh(0.7)
            .setAnswers(9);
    estimate.getQuestionBuilder().setName(question);
    return estimate.build();
  }

  private static Map<String, Object> values(Map<String, Gauge<?>> gauges) {
    return gauges.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, gauge -> gauge.getValue().getValue()));
  }
}
