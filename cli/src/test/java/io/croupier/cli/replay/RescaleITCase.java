package io.croupier.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.models.ModelsFile;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Central;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.Sparse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * While people report, the job is twice stopped with a savepoint and restored from it with another
 * parallelism; a model whose clip moves usually scouts at the first one and learns at the second.
 * Every report is accounted for once, the local models equal those of a replay of the journal bit
 * for bit, and a central model has every round once and every report once in its sums.
 */
@Tag("thorough")
class RescaleITCase {
  private static final int[] PARALLELISM = {1, 2, 1};
  private static final int WAVES = 3;

  /** Reports per local model and wave. */
  private static final int WAVE = 10;

  private static final int GOAL = 4;

  /** People who answer a round of the central model, more than its goal. */
  private static final int ANSWERS = 5;

  /**
   * Each person's gradient is another unit vector, so the weights show whose reports they contain.
   * The noise isn't seeded; 1e-6 is more than 1000 standard deviations of a sum of 10 nodes.
   */
  private static final ModelSpec EXACT =
      ModelSpec.newBuilder()
          .setModelId("exact")
          .setDimension(1000)
          .setGradientBound(1)
          .setReportsPerRound(GOAL)
          .setDpFtrl(
              DpFtrl.newBuilder()
                  .setClipNorm(1)
                  .setNoiseMultiplier(1e-9)
                  .setNoise(
                      PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()))
                  .setLearningRate(1))
          .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(1).setMinSeparation(0))
          .build();

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;
  private static TestFlinkCluster flink;
  private final RandomReportStream reports = new RandomReportStream(97);
  private int people;
  private long answered = -1;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    flink = TestFlinkCluster.start(directory.resolve("flink"));
  }

  @AfterAll
  static void stop() {
    flink.close();
    broker.close();
  }

  @ParameterizedTest(name = "{0}, savepoints {1}")
  @CsvSource({"hashmap, CANONICAL", "rocksdb, NATIVE"})
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void nothingIsLostOrDuplicated(String backend, SavepointFormatType format) throws Exception {
    Path files = Files.createDirectories(directory.resolve(backend));
    ReplayFolder folder = new ReplayFolder(files);
    folder.write("models.yaml", ReplayITCase.MODELS);
    List<ModelSpec> specs = ModelsFile.read(files.resolve("models.yaml"));
    Map<String, String> settings = new HashMap<>();
    settings.put("flink.state.backend.type", backend);
    settings.put("flink.execution.checkpointing.incremental", "true");
    try (RecordedJob job = new RecordedJob(broker, backend)) {
      specs.forEach(job::publish);
      job.publish(EXACT);
      job.flush();
      for (int life = 0; life < PARALLELISM.length; life++) {
        job.start(
            flink.environment(),
            PARALLELISM[life],
            files.resolve("state").toUri().toString(),
            settings);
        for (int wave = 0; wave < WAVES || (life > 0 && !haveLearned(job, specs)); wave++) {
          report(job, specs);
          job.awaitPublished(specs);
        }
        if (life + 1 < PARALLELISM.length) {
          CompletableFuture<String> savepoint =
              job.stop(files.resolve("savepoints").toUri().toString(), format);
          do {
            report(job, specs);
          } while (!savepoint.isDone());
          settings.put("flink.execution.state-recovery.path", savepoint.get());
        }
      }
      long rounds = rounds(job);
      while (rounds(job) < rounds + 2) {
        report(job, List.of());
      }
      job.awaitPublished(specs);

      assertThat(job.events()).extracting(AccountingEvent::getSource).doesNotHaveDuplicates();
      ReplayComparison.check(job, specs, false, folder);
      checkCentral(job.updates(EXACT.getModelId()));
    }
  }

  /** Whether every model has used a gradient: one whose clip moves first scouts. */
  private static boolean haveLearned(RecordedJob job, List<ModelSpec> specs) {
    return specs.stream()
        .map(spec -> job.updates(spec.getModelId()))
        .allMatch(updates -> updates.get(updates.size() - 1).getUsed() > 0);
  }

  /** The newest round of the central model. */
  private static long rounds(RecordedJob job) {
    return job.updates(EXACT.getModelId()).stream()
        .mapToLong(ModelUpdate::getRound)
        .max()
        .orElse(-1);
  }

  /** People read the newest update and report. */
  private void report(RecordedJob job, List<ModelSpec> specs) throws Exception {
    job.look();
    for (ModelSpec spec : specs) {
      String id = spec.getModelId();
      List<ModelUpdate> published = job.updates(id);
      for (int i = 0; i < WAVE; i++) {
        job.send(reports.next(spec, ReplayITCase.FORMS.get(id), published));
      }
    }
    long round = rounds(job);
    if (round > answered) {
      answered = round;
      for (int i = 0; i < ANSWERS; i++) {
        job.send(answer(round));
      }
    }
    job.flush();
  }

  private GradientReport answer(long round) {
    return GradientReport.newBuilder()
        .setModelId(EXACT.getModelId())
        .setRound(round)
        .setUserId("trusting-" + people)
        .setDeviceId("phone")
        .setSequence(1)
        .setSparse(
            Sparse.newBuilder()
                .setDimension(EXACT.getDimension())
                .addIndices(people++)
                .addValues(1))
        .setCentral(Central.getDefaultInstance())
        .build();
  }

  private static void checkCentral(List<ModelUpdate> updates) {
    for (int round = 0; round < updates.size(); round++) {
      assertThat(updates.get(round).getRound()).as("each once").isEqualTo(round);
    }
    ModelUpdate last = updates.get(updates.size() - 1);
    assertThat(last.getRound()).isGreaterThan(PARALLELISM.length);
    int used = 0;
    for (double weight : last.getWeightsList()) {
      if (weight < -0.5 / GOAL) {
        assertThat(weight).isCloseTo(-1.0 / GOAL, within(1e-6));
        used++;
      } else {
        assertThat(weight).isCloseTo(0, within(1e-6));
      }
    }
    assertThat(used).isEqualTo((int) last.getUsed()).isGreaterThan(PARALLELISM.length * GOAL);
  }
}
