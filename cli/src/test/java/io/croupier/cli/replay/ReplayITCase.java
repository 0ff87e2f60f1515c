package io.croupier.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.models.ModelsFile;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.GradientCase;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A replay with the journal reproduces every update of the job bit for bit, except for the
 * timestamp, and every accounting event. The job runs on a real broker, and task managers are
 * killed meanwhile.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag("thorough")
class ReplayITCase {
  private static final String MODELS =
      """
      - {modelId: taps, dimension: 4, gradientBound: 1, maxStaleness: 2, blackBox: {radius: 3}}
      - {modelId: steps, dimension: 3, gradientBound: 1, maxStaleness: 2, reportsPerRound: 36,
         roundTimeoutMs: 300, initialWeights: [1, 2, 3],
         ldpSgd: {stepSize: 0.1, decay: 0.5, radius: 5}}
      - {modelId: hours, dimension: 3, gradientBound: 2, maxStaleness: 1, reportsPerRound: 4,
         questions: [{name: accuracy, accuracy: {}}, {name: loss, lossAbove: {threshold: 0.5}}],
         statistics: [{name: screen, choice: {categories: [home, cart, other]}},
           {name: hour, choice: {categories: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11",
             "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23"]}},
           {name: query, prefixes: {alphabet: "a-z", length: 8, top: 20}}],
         blackBox: {}}
      - {modelId: words, dimension: 6, gradientBound: 1, maxStaleness: 2, reportBound: 2,
         averaging: {polynomial: {degree: 3}}, coordinateWise: {}}
      - {modelId: clicks, dimension: 4, gradientBound: 0.25, maxStaleness: 2, reportsPerRound: 4,
         banco: {strongestNoise: {l2Laplace: {epsilon: 1}}}}
      - {modelId: scores, dimension: 2, gradientBound: 1, maxStaleness: 2,
         banco: {strongestNoise: {l2Laplace: {epsilon: 1}}, radius: 2}}
      - {modelId: sizes, dimension: 3, maxStaleness: 2, blackBox: {},
         questions: [{name: accuracy, accuracy: {}}],
         adaptiveClip: {size: FEATURES, slopeRule: true}}
      """;

  /** The encoding of each model's gradients. */
  private static final Map<String, List<GradientCase>> FORMS =
      Map.of(
          "taps", List.of(GradientCase.DENSE, GradientCase.GRID, GradientCase.CANDIDATE),
          "steps", List.of(GradientCase.DENSE, GradientCase.GRID),
          "hours", List.of(GradientCase.GRID, GradientCase.ANSWER, GradientCase.VOTE),
          "words", List.of(GradientCase.DENSE, GradientCase.SPARSE),
          "clicks", List.of(GradientCase.GRID),
          "scores", List.of(GradientCase.DENSE, GradientCase.CANDIDATE),
          "sizes",
              List.of(
                  GradientCase.DENSE,
                  GradientCase.GRID,
                  GradientCase.CANDIDATE,
                  GradientCase.ANSWER));

  private static final int WAVES = 12;

  /** Reports per model and wave. Some pairs of waves don't fill a round of 36: its timeout ends. */
  private static final int WAVE = 21;

  /** reportsPerRound of the model with a timeout. */
  private static final int STEPS_A_ROUND = 36;

  private static final int FAILURE_EVERY = 5;

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;
  private static TestFlinkCluster flink;
  private RandomReportStream reports;

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

  @Test
  void everyUpdateOfAJobThatFailsIsReproduced() throws Exception {
    reproduce(2, true, false);
  }

  @ParameterizedTest(name = "parallelism {0}, recorded as JSON {1}")
  @CsvSource({"1, false", "2, true"})
  void everyUpdateIsReproduced(int parallelism, boolean json) throws Exception {
    reproduce(parallelism, false, json);
  }

  private void reproduce(int parallelism, boolean failing, boolean json) throws Exception {
    String name = "replayed-" + parallelism + failing;
    Path files = Files.createDirectories(directory.resolve(name));
    ReplayFolder folder = new ReplayFolder(files);
    folder.write("models.yaml", MODELS);
    List<ModelSpec> specs = ModelsFile.read(files.resolve("models.yaml"));
    reports = new RandomReportStream(71);
    try (RecordedJob job = new RecordedJob(broker, name)) {
      specs.forEach(job::publish);
      // For all models but one, most reports reach the learner before its first publication.
      sendWave(job, specs.subList(1, specs.size()), Map.of());
      job.flush();
      job.start(flink.environment(), parallelism, files.resolve("checkpoints").toUri().toString());
      job.awaitPublished(specs);
      for (int wave = 1; wave <= WAVES || !haveMovedTheirClips(job, specs); wave++) {
        Map<String, List<ModelUpdate>> published = published(job, specs);
        sendWave(job, specs, published);
        if (failing && wave % FAILURE_EVERY == 0) {
          flink.replaceTaskManager();
        }
        sendWave(job, specs, published);
        job.flush();
        job.awaitPublished(specs);
      }

      checkCoverage(job, specs, failing);
      ReplayComparison.check(job, specs, json, folder);
    }
  }

  private static Map<String, List<ModelUpdate>> published(RecordedJob job, List<ModelSpec> specs) {
    return specs.stream()
        .map(ModelSpec::getModelId)
        .collect(Collectors.toMap(id -> id, job::updates));
  }

  /**
   * Sends reports to all models; for each, one is refused and one repeated; plus a malformed one.
   */
  private void sendWave(
      RecordedJob job, List<ModelSpec> specs, Map<String, List<ModelUpdate>> published) {
    for (int i = 0; i < WAVE; i++) {
      for (ModelSpec spec : specs) {
        String id = spec.getModelId();
        GradientReport report =
            reports.next(spec, FORMS.get(id), published.getOrDefault(id, List.of()));
        job.send(report);
        if (i == 0) {
          job.send(report);
          job.send(reports.ofWrongDimension(spec));
          job.sendMalformed(report.getUserId(), new byte[] {1, 2, 3});
        }
      }
    }
  }

  /** The recording contains the cases that this test is about. */
  private static void checkCoverage(RecordedJob job, List<ModelSpec> specs, boolean failing)
      throws Exception {
    job.awaitJournal(specs);
    for (ModelSpec spec : specs) {
      String id = spec.getModelId();
      List<ModelUpdate> updates = job.updates(id);
      ModelUpdate last = updates.get(updates.size() - 1);
      assertThat(updates).as(id).hasSizeGreaterThan(WAVES);
      assertThat(updates)
          .as(id)
          .extracting(ModelUpdate::getWeightsList)
          .satisfies(
              weights ->
                  assertThat(weights.stream().distinct())
                      .hasSizeGreaterThan(spec.hasAdaptiveClip() ? 1 : WAVES / 3));
      assertThat(last.getUsed() + last.getAnswers()).as(id).isGreaterThan(WAVES * WAVE);
      assertThat(last.getAnswers() > 0).as(id).isEqualTo(last.getEstimatesCount() > 0);
      assertThat(last.getDroppedStale()).as(id).isPositive();
      assertThat(last.getDroppedUnpublished()).as(id).isPositive();
      assertThat(updates.get(0).getQuestionProbability() >= 1)
          .as("%s scouts", id)
          .isEqualTo(spec.hasAdaptiveClip());
    }
    assertThat(job.events())
        .extracting(AccountingEvent::getOutcome)
        .contains(
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_DIMENSION,
            Outcome.REFUSED_IMPLAUSIBLE);
    assertThat(job.bundles("steps")).anyMatch(bundle -> bundle.getPositionsCount() > 1);
    assertThat(sizesOfRounds(job.updates("steps")))
        .as("closed by a timeout, and without one")
        .anyMatch(size -> size < STEPS_A_ROUND)
        .anyMatch(size -> size >= STEPS_A_ROUND);
    assertThat(flink.restores(job.jobId()) > 0).isEqualTo(failing);
  }

  private static List<Long> sizesOfRounds(List<ModelUpdate> updates) {
    List<Long> sizes = new ArrayList<>();
    for (int i = 1; i < updates.size(); i++) {
      if (updates.get(i).getRound() > updates.get(i - 1).getRound()) {
        sizes.add(updates.get(i).getUsed() - updates.get(i - 1).getUsed());
      }
    }
    return sizes;
  }

  /**
   * Whether each model whose clip moves has scouted, learned with several clips, and dropped a
   * report of another clip than that of its round.
   */
  private static boolean haveMovedTheirClips(RecordedJob job, List<ModelSpec> specs) {
    return specs.stream()
        .filter(ModelSpec::hasAdaptiveClip)
        .map(spec -> job.updates(spec.getModelId()))
        .allMatch(
            updates ->
                updates.get(updates.size() - 1).getDroppedBound() > 0
                    && updates.stream()
                            .filter(update -> update.getUsed() > 0)
                            .map(ModelUpdate::getGradientBound)
                            .distinct()
                            .count()
                        > 1);
  }
}
