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
  private final Map<String, Gauge<?>> gauges = new TreeMap<>();
  private final long[] lag = {0};
  private final LearnerMetrics metrics = new LearnerMetrics(new Gauges("", gauges), () -> lag[0]);

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

    assertThat(values(""))
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
    for (int i = 0; i < LearnerMetrics.MOST_MODELS; i++) {
      metrics.model("m" + i, () -> 0, () -> 0, new RoundGate(LearnerTasks.PUBLICATIONS), () -> 0);
    }
    int registered = gauges.size();
    metrics.model("late", () -> 0, () -> 0, new RoundGate(LearnerTasks.PUBLICATIONS), () -> 0);
    metrics.reports("late", BundleOutcome.OPEN, 3);
    metrics.estimates("late", List.of(estimate("a")));
    metrics.memory("late", Map.of("half-life", 9.0));

    assertThat(gauges).hasSize(registered);
    assertThat(values(""))
        .containsEntry("reports-into-open-rounds", 3L)
        .containsEntry("models-without-metrics", 1);
  }

  @Test
  void holdsTheirReasonAndTheLagAreGaugesOfEachModel() {
    RoundGate gate = new RoundGate(LearnerTasks.PUBLICATIONS);
    long[] clock = {5_000};
    LiveModel model = LiveModel.begin(TestRecords.sgd("m").setReportsPerRound(2).build(), 0);
    metrics.model("m", () -> 7, model::open, gate, () -> clock[0]);
    assertThat(values(""))
        .containsAllEntriesOf(
            Map.of("lag-ms", 0L, "model.m.lag-ms", 7L, "model.m.hold", 0, "model.m.held-ms", 0L));

    model.publish(true, clock[0]);
    model.add(TestRecords.dense("m", 0, 1, 0));
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    lag[0] = 100;
    clock[0] += 30;
    assertThat(values(""))
        .containsAllEntriesOf(
            Map.of("lag-ms", 100L, "model.m.lag-ms", 7L, "model.m.hold", 2, "model.m.held-ms", 30L))
        .containsEntry("model.m.reports-in-open-round", 1L);
    model.confirm();
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    // It waits for another reason, since now.
    assertThat(values("")).containsEntry("model.m.hold", 4).containsEntry("model.m.held-ms", 0L);
    clock[0] += 40;
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    clock[0] += 5;
    assertThat(values("")).containsEntry("model.m.hold", 4).containsEntry("model.m.held-ms", 45L);
    assertThat(gate.mayOpen(model, true, clock[0])).as("timed out").isTrue();
    assertThat(values("")).containsEntry("model.m.hold", 0);
    model.publish(true, clock[0]);
    model.confirm();
    model.add(TestRecords.dense("m", 0, 1, 0));
    model.add(TestRecords.dense("m", 0, 1, 0));
    assertThat(gate.mayOpen(model, false, clock[0])).isFalse();
    assertThat(values("")).containsEntry("model.m.hold", 3);
  }

  @Test
  void estimatesAreGaugesOfEachQuestion() {
    Estimate.Builder estimate = Estimate.newBuilder().setAnswers(0);
    estimate.getQuestionBuilder().setName("a");
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values(""))
        .containsEntry("model.m.question.a.fraction", Double.NaN)
        .containsEntry("model.m.question.a.answers", 0L)
        .containsEntry("model.m.question.a.recent-fraction", Double.NaN)
        .containsEntry("model.m.question.a.recent-answers", 0L);
    estimate.setFraction(0.5).setStandardError(0.1).setLow(0.3).setHigh(0.7).setAnswers(9);
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values("model.m.question.a."))
        .containsAllEntriesOf(fraction(0.5, 0.1, 0.3, 0.7, "answers", 9))
        .containsEntry("recent-fraction", Double.NaN);
    estimate
        .getRecentBuilder()
        .setFraction(0.6)
        .setStandardError(0.2)
        .setLow(0.1)
        .setHigh(0.9)
        .setAnswers(4);
    metrics.estimates("m", List.of(estimate.build()));
    assertThat(values("model.m.question.a.recent-"))
        .isEqualTo(fraction(0.6, 0.2, 0.1, 0.9, "answers", 4));
    assertThat(values("model.m.question.a.")).containsEntry("fraction", 0.5);
  }

  /** A question of another model keeps its values. */
  @Test
  void aRemovedQuestionHasNoEstimate() {
    Estimate a = estimate("a");
    Estimate b = estimate("b");
    metrics.estimates("m", List.of(a, b));
    metrics.estimates("other", List.of(a));

    metrics.estimates("m", List.of(b));
    Map<String, Object> none =
        fraction(Double.NaN, Double.NaN, Double.NaN, Double.NaN, "answers", 0);
    assertThat(values("model.m.question.a.")).containsAllEntriesOf(none);
    assertThat(values("model.m.question.b.")).containsEntry("fraction", 0.5);
    assertThat(values("model.other.question.a.")).containsEntry("fraction", 0.5);

    metrics.estimates("m", List.of());
    assertThat(values("model.m.question.b.")).containsAllEntriesOf(none);
    assertThat(values("model.other.question.a.")).containsEntry("answers", 9L);

    metrics.estimates("m", List.of(a));
    assertThat(values("")).containsEntry("model.m.question.a.fraction", 0.5);
  }

  @Test
  void categoriesOfStatisticsAreGauges() {
    StatisticEstimate.Builder screen = StatisticEstimate.newBuilder();
    screen.getStatisticBuilder().setName("screen").getChoiceBuilder().addCategories("home");
    for (int i = 0; i < 70; i++) {
      screen.getStatisticBuilder().getChoiceBuilder().addCategories("c" + i);
    }
    metrics.statistics("m", List.of(screen.build()));
    assertThat(gauges).hasSizeGreaterThanOrEqualTo(5 * StatisticGauges.MOST_CATEGORIES);
    assertThat(values(""))
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
    assertThat(values("model.m.statistic.screen.category.home."))
        .isEqualTo(fraction(0.5, 0.1, 0.3, 0.7, "votes", 9));
    assertThat(values("model.m.statistic.screen.category.c0."))
        .containsEntry("fraction", Double.NaN);
    metrics.statistics("m", List.of());
    assertThat(values("model.m.statistic.screen.category.home."))
        .containsEntry("fraction", Double.NaN)
        .containsEntry("votes", 0L);
  }

  @Test
  void levelsOfQuantilesAreGauges() {
    StatisticEstimate.Builder minutes = StatisticEstimate.newBuilder().setThreshold(31.25);
    minutes.getStatisticBuilder().setName("minutes").getQuantilesBuilder().addLevels(0.5);
    metrics.statistics("m", List.of(minutes.build()));
    String level = "model.m.statistic.minutes.level.0.5.";
    Map<String, Object> none =
        Map.of("value", Double.NaN, "low", Double.NaN, "high", Double.NaN, "answers", 0L);
    assertThat(values(level)).as("before the first answer").isEqualTo(none);
    minutes.getQuantilesBuilder().addValues(30).addLow(28.5).addHigh(32).setAnswers(1200);
    metrics.statistics("m", List.of(minutes.build()));
    assertThat(values(level))
        .isEqualTo(Map.of("value", 30.0, "low", 28.5, "high", 32.0, "answers", 1200L));
    metrics.statistics("m", List.of(minutes.clearQuantiles().build()));
    assertThat(values(level)).as("once all answers are forgotten").isEqualTo(none);
    metrics.statistics("m", List.of());
    assertThat(values(level)).as("once it is removed").isEqualTo(none);
  }

  @Test
  void theMemoryIsAGaugeOfModelsThatHaveOne() {
    metrics.memory("m", Map.of("magnitude", 3.0));
    metrics.memory("fixed", Map.of("magnitude", 3.0, "half-life", 9.0));
    assertThat(values("")).containsEntry("model.fixed.half-life", 9.0);
    assertThat(gauges)
        .doesNotContainKeys("model.m.half-life", "model.m.drifting", "model.fixed.drifting");
    metrics.memory("m", Map.of("half-life", 8192.0, "drifting", 1.0));
    assertThat(values(""))
        .containsEntry("model.m.half-life", 8192.0)
        .containsEntry("model.m.drifting", 1.0)
        .doesNotContainKey("model.m.magnitude");
    metrics.memory("m", Map.of());
    assertThat(values(""))
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

  /** The values of all gauges whose names begin with {@code prefix}, by the rest of the name. */
  private Map<String, Object> values(String prefix) {
    return gauges.entrySet().stream()
        .filter(gauge -> gauge.getKey().startsWith(prefix))
        .collect(
            Collectors.toMap(
                gauge -> gauge.getKey().substring(prefix.length()),
                gauge -> gauge.getValue().getValue()));
  }

  /** What the gauges of a fraction show. */
  private static Map<String, Object> fraction(
      double fraction, double standardError, double low, double high, String of, long count) {
    return Map.of(
        "fraction", fraction, "standard-error", standardError, "low", low, "high", high, of, count);
  }
}
