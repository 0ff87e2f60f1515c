package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.StatisticEstimate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class LearnerMetricsTest {

  /** Keeps the gauges, counters and histograms that are registered. */
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

    @Override
    public Counter counter(String name) {
      Counter counter = new SimpleCounter();
      gauges.put(prefix + name, counter::getCount);
      return counter;
    }

    @Override
    public <H extends Histogram> H histogram(String name, H histogram) {
      gauges.put(prefix + name, () -> histogram.getStatistics().getMax());
      return histogram;
    }
  }

  @Test
  void countsBelongToTheirModelAndToAll() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    for (String modelId : List.of("m", "other")) {
      metrics.model(modelId, () -> 0, () -> 0, new RoundGate(LearnerTasks.PUBLICATIONS), () -> 0);
    }
    metrics.reports("m", BundleOutcome.OPEN, 3);
    metrics.reports("m", BundleOutcome.DROPPED_STALE, 2);
    metrics.reports("other", BundleOutcome.OPEN, 1);
    metrics.reportsOfRetiredModel("gone", 4);
    metrics.staleness("m", 5);
    metrics.staleness("other", 6);
    metrics.published("m", 70);
    metrics.held("other");

    assertThat(values(gauges))
        .containsEntry("reports-into-open-rounds", 4L)
        .containsEntry("model.m.reports-into-open-rounds", 3L)
        .containsEntry("model.other.reports-into-open-rounds", 1L)
        .containsEntry("reports-dropped-stale", 2L)
        .containsEntry("model.m.reports-dropped-stale", 2L)
        .containsEntry("model.other.reports-dropped-stale", 0L)
        .containsEntry("reports-of-retired-models", 4L)
        .containsEntry("staleness", 6L)
        .containsEntry("model.m.staleness", 5L)
        .containsEntry("publications", 1L)
        .containsEntry("model.m.publications", 1L)
        .containsEntry("model.m.publication-latency-ms", 70L)
        .containsEntry("model.other.publications", 0L)
        .containsEntry("model.other.publications-held", 1L)
        .containsEntry("publications-held", 1L)
        .doesNotContainKey("model.gone.publications");
  }

  @Test
  void noMoreThanTwoHundredModelsHaveMetrics() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    for (int i = 0; i < LearnerMetrics.MOST_MODELS; i++) {
      metrics.model("m" + i, () -> 0, () -> 0, new RoundGate(LearnerTasks.PUBLICATIONS), () -> 0);
    }
    int registered = gauges.size();
    metrics.model("late", () -> 0, () -> 0, new RoundGate(LearnerTasks.PUBLICATIONS), () -> 0);
    metrics.reports("late", BundleOutcome.OPEN, 3);
    metrics.estimates("late", List.of(estimate("a")));
    metrics.memory("late", Map.of("half-life", 9.0));

    assertThat(gauges).hasSize(registered);
    assertThat(values(gauges))
        .containsEntry("reports-into-open-rounds", 3L)
        .containsEntry("models-without-metrics", 1);
  }

  private static LearnerMetrics metrics(Map<String, Gauge<?>> gauges) {
    return new LearnerMetrics(new Gauges("", gauges), () -> 0);
  }

  @Test
  void holdsTheirReasonAndTheLagAreGaugesOfEachModel() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    long[] lag = {0};
    LearnerMetrics metrics = new LearnerMetrics(new Gauges("", gauges), () -> lag[0]);
    RoundGate gate = new RoundGate(LearnerTasks.PUBLICATIONS);
    long[] clock = {5_000};
    LiveModel model = LiveModel.begin(TestRecords.sgd("m").setReportsPerRound(2).build(), 0);
    metrics.model("m", () -> 7, model::open, gate, () -> clock[0]);
    assertThat(values(gauges))
        .containsAllEntriesOf(
            Map.of("lag-ms", 0L, "model.m.lag-ms", 7L, "model.m.hold", 0, "model.m.held-ms", 0L));

    model.publish(true, clock[0]);
    model.add(TestRecords.dense("m", 0, 1, 0));
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    lag[0] = 100;
    clock[0] += 30;
    assertThat(values(gauges))
        .containsAllEntriesOf(
            Map.of("lag-ms", 100L, "model.m.lag-ms", 7L, "model.m.hold", 2, "model.m.held-ms", 30L))
        .containsEntry("model.m.reports-in-open-round", 1L);
    model.confirm();
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    // It waits for another reason, since now.
    assertThat(values(gauges))
        .containsEntry("model.m.hold", 4)
        .containsEntry("model.m.held-ms", 0L);
    clock[0] += 40;
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    clock[0] += 5;
    assertThat(values(gauges))
        .containsEntry("model.m.hold", 4)
        .containsEntry("model.m.held-ms", 45L);
    assertThat(gate.mayOpen(model, true, clock[0])).as("timed out").isTrue();
    assertThat(values(gauges)).containsEntry("model.m.hold", 0);
    model.publish(true, clock[0]);
    model.confirm();
    model.add(TestRecords.dense("m", 0, 1, 0));
    model.add(TestRecords.dense("m", 0, 1, 0));
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    assertThat(values(gauges)).containsEntry("model.m.hold", 3);
  }

  @Test
  void estimatesAreGaugesOfEachQuestion() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    Estimate.Builder estimate = Estimate.newBuilder().setAnswers(0);
    estimate.getQuestionBuilder().setName("a");
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", Double.NaN)
        .containsEntry("model.m.question.a.answers", 0L)
        .containsEntry("model.m.question.a.recent-fraction", Double.NaN)
        .containsEntry("model.m.question.a.recent-answers", 0L);
    estimate.setFraction(0.5).setStandardError(0.1).setLow(0.3).setHigh(0.7).setAnswers(9);
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", 0.5)
        .containsEntry("model.m.question.a.standard-error", 0.1)
        .containsEntry("model.m.question.a.low", 0.3)
        .containsEntry("model.m.question.a.high", 0.7)
        .containsEntry("model.m.question.a.answers", 9L)
        .containsEntry("model.m.question.a.recent-fraction", Double.NaN);
    estimate
        .getRecentBuilder()
        .setFraction(0.6)
        .setStandardError(0.2)
        .setLow(0.1)
        .setHigh(0.9)
        .setAnswers(4);
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.question.a.fraction", 0.5)
        .containsEntry("model.m.question.a.recent-fraction", 0.6)
        .containsEntry("model.m.question.a.recent-standard-error", 0.2)
        .containsEntry("model.m.question.a.recent-low", 0.1)
        .containsEntry("model.m.question.a.recent-high", 0.9)
        .containsEntry("model.m.question.a.recent-answers", 4L);
  }

  /** A question of another model keeps its values. */
  @Test
  void aRemovedQuestionHasNoEstimate() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
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

  @Test
  void categoriesOfStatisticsAreGauges() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    StatisticEstimate.Builder screen = StatisticEstimate.newBuilder();
    screen.getStatisticBuilder().setName("screen").getChoiceBuilder().addCategories("home");
    for (int i = 0; i < 70; i++) {
      screen.getStatisticBuilder().getChoiceBuilder().addCategories("c" + i);
    }
    metrics.statistics("m", List.of(screen.build()));
    assertThat(gauges).hasSizeGreaterThanOrEqualTo(5 * StatisticGauges.MOST_CATEGORIES);
    assertThat(values(gauges))
        .containsEntry("model.m.statistic.screen.category.home.fraction", Double.NaN)
        .containsEntry("model.m.statistic.screen.category.home.votes", 0L)
        .containsKey("model.m.statistic.screen.category.c62.fraction")
        .doesNotContainKey("model.m.statistic.screen.category.c63.fraction");
    screen
        .getLastingBuilder()
        .addFractions(0.5)
        .addStandardErrors(0.1)
        .addLow(0.3)
        .addHigh(0.7)
        .setVotes(9);
    metrics.statistics("m", List.of(screen.build()));
    assertThat(values(gauges))
        .containsEntry("model.m.statistic.screen.category.home.fraction", 0.5)
        .containsEntry("model.m.statistic.screen.category.home.standard-error", 0.1)
        .containsEntry("model.m.statistic.screen.category.home.low", 0.3)
        .containsEntry("model.m.statistic.screen.category.home.high", 0.7)
        .containsEntry("model.m.statistic.screen.category.home.votes", 9L)
        .containsEntry("model.m.statistic.screen.category.c0.fraction", Double.NaN);
    metrics.statistics("m", List.of());
    assertThat(values(gauges))
        .containsEntry("model.m.statistic.screen.category.home.fraction", Double.NaN)
        .containsEntry("model.m.statistic.screen.category.home.votes", 0L);
  }

  @Test
  void levelsOfQuantilesAreGauges() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    StatisticEstimate.Builder minutes = StatisticEstimate.newBuilder().setThreshold(31.25);
    minutes.getStatisticBuilder().setName("minutes").getQuantilesBuilder().addLevels(0.5);
    metrics.statistics("m", List.of(minutes.build()));
    String level = "model.m.statistic.minutes.level.0.5.";
    Map<String, Object> none =
        Map.of(
            level + "value", Double.NaN,
            level + "low", Double.NaN,
            level + "high", Double.NaN,
            level + "answers", 0L);
    assertThat(values(gauges)).as("before the first answer").containsAllEntriesOf(none);
    minutes.getQuantilesBuilder().addValues(30).addLow(28.5).addHigh(32).setAnswers(1200);
    metrics.statistics("m", List.of(minutes.build()));
    assertThat(values(gauges))
        .containsEntry(level + "value", 30.0)
        .containsEntry(level + "low", 28.5)
        .containsEntry(level + "high", 32.0)
        .containsEntry(level + "answers", 1200L);
    metrics.statistics("m", List.of(minutes.clearQuantiles().build()));
    assertThat(values(gauges)).as("once all answers are forgotten").containsAllEntriesOf(none);
    metrics.statistics("m", List.of());
    assertThat(values(gauges)).as("once it is removed").containsAllEntriesOf(none);
  }

  @Test
  void theMemoryIsAGaugeOfModelsThatHaveOne() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    LearnerMetrics metrics = metrics(gauges);
    metrics.memory("m", Map.of("magnitude", 3.0));
    metrics.memory("fixed", Map.of("magnitude", 3.0, "half-life", 9.0));
    assertThat(values(gauges)).containsEntry("model.fixed.half-life", 9.0);
    assertThat(gauges)
        .doesNotContainKeys("model.m.half-life", "model.m.drifting", "model.fixed.drifting");
    metrics.memory("m", Map.of("half-life", 8192.0, "drifting", 1.0));
    assertThat(values(gauges))
        .containsEntry("model.m.half-life", 8192.0)
        .containsEntry("model.m.drifting", 1.0)
        .doesNotContainKey("model.m.magnitude");
    metrics.memory("m", Map.of());
    assertThat(values(gauges))
        .as("another model has this name now")
        .containsEntry("model.m.half-life", Double.NaN)
        .containsEntry("model.m.drifting", Double.NaN);
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
