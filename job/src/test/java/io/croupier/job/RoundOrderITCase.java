package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A round doesn't depend on the order of its reports, nor on the number of subtasks that add them
 * up: all models publish the same weights and averages, bit for bit.
 */
@Tag("thorough")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RoundOrderITCase extends BrokerFixture {
  private static final int REPORTS = 200;

  @TempDir private Path directory;

  @Test
  void ordersAndParallelismsGiveTheSameWeights() throws Exception {
    Map<String, List<Double>> first = weights(1, 1);

    assertThat(weights(2, 1)).as("another order").isEqualTo(first);
    assertThat(weights(1, 2)).as("two subtasks").isEqualTo(first);
    assertThat(weights(2, 2)).as("another order and two subtasks").isEqualTo(first);
  }

  /**
   * Returns the weights and averages of all models after two rounds, the second partly of late
   * reports.
   */
  private Map<String, List<Double>> weights(long order, int parallelism) throws Exception {
    String name = "order-%d-%d".formatted(order, parallelism);
    JobClient job = null;
    try (TestTopics testTopics = newTopics(name);
        FollowedUpdates updates = new FollowedUpdates(testTopics)) {
      Map<String, String> settings = new HashMap<>(testTopics.defaults());
      settings.put("parallelism", String.valueOf(parallelism));
      settings.put("checkpoint.directory", directory.resolve(name).toUri().toString());
      settings.put("flink.restart-strategy.type", "none");
      job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(parallelism, new Configuration()),
              JobConfig.of(settings));
      List<ModelSpec> specs = specs();
      specs.forEach(testTopics::publish);
      testTopics.flush();
      LogisticAnswers people = new LogisticAnswers(new Random(5));
      Random shuffling = new Random(order);
      Map<String, List<Double>> weights = new HashMap<>();
      Map<String, ModelUpdate> former = new HashMap<>();
      for (int round = 0; round < 2; round++) {
        for (ModelSpec spec : specs) {
          long answered = round;
          ModelUpdate newest =
              updates.await(spec.getModelId(), update -> update.getRound() == answered);
          ModelUpdate late = former.getOrDefault(spec.getModelId(), newest);
          send(testTopics, answers(people, newest, late), shuffling);
          former.put(spec.getModelId(), newest);
        }
      }
      for (ModelSpec spec : specs) {
        ModelUpdate last = updates.await(spec.getModelId(), update -> update.getRound() == 2);
        assertThat(last.getUsed()).as(spec.getModelId()).isEqualTo(2 * REPORTS);
        List<Double> values = new ArrayList<>(last.getWeightsList());
        values.addAll(last.getAverageList());
        assertThat(values).as(spec.getModelId()).doesNotContain(Double.NaN).anyMatch(v -> v != 0);
        weights.put(spec.getModelId(), values);
      }
      return weights;
    } finally {
      if (job != null) {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** The local models of the scenario, whose rounds wait for all reports. */
  private static List<ModelSpec> specs() {
    return LearningScenario.specsForManyReports().stream()
        .map(spec -> ModelSpecs.current(spec).toBuilder().setReportsPerRound(REPORTS).build())
        .toList();
  }

  /** Every third report answers {@code late}. */
  private static List<GradientReport> answers(
      LogisticAnswers people, ModelUpdate newest, ModelUpdate late) {
    List<GradientReport> reports = new ArrayList<>();
    for (int i = 0; i < REPORTS; i++) {
      reports.add(
          people
              .noised(i % 3 == 0 ? late : newest)
              .setUserId("person-%d-%d".formatted(newest.getRound(), i))
              .setDeviceId(newest.getModelId())
              .setSequence(1)
              .build());
    }
    return reports;
  }

  private static void send(TestTopics testTopics, List<GradientReport> reports, Random shuffling)
      throws Exception {
    Collections.shuffle(reports, shuffling);
    for (GradientReport report : reports) {
      testTopics.send(
          testTopics.topics.gradients(), report.getUserId().getBytes(UTF_8), report.toByteArray());
    }
    testTopics.flush();
  }
}
