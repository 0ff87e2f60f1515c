package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Central;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.Sparse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job crashes at random records, during checkpoints whose outputs are already on the broker,
 * and while these are committed ({@code -Dkills=N} for more than 10 crashes, {@code -Dseed=...} for
 * the seed of another run), while it trains two central models: one whose gradients are all zero,
 * so that its updates show the noise alone, and one with negligible noise, whose updates show which
 * reports are in them. More users answer each visible round than it needs, so that after a crash
 * other reports may enter it.
 *
 * <p>Readers of committed updates see one single tree: every round once, and no node drawn twice.
 * Readers of uncommitted updates see a round with two noise draws, whose average reveals more than
 * the guarantee allows.
 *
 * <p>No noise is seeded: {@link NoiseTree} states the chance of a false alarm for the first model;
 * for the second one, 1e-6 is more than 1000 standard deviations of a sum of 10 nodes divided by
 * the goal.
 */
@Tag("thorough")
class CentralCrashITCase extends BrokerFixture {
  private static final int GOAL = 4;
  private static final int ANSWERS = 6;

  @TempDir private static Path directory;

  private final int crashes = Integer.getInteger("kills", 10);
  private final long seed = Long.getLong("seed", System.nanoTime());
  private final ModelSpec zero =
      spec("zero", NoiseTree.DIMENSION, 1).toBuilder().setReportsPerRound(GOAL).build();
  private final ModelSpec exact =
      spec("exact", 100 * (crashes + 10), 1e-9).toBuilder().setReportsPerRound(GOAL).build();
  private int people;

  private static ModelSpec spec(String modelId, int dimension, double noiseMultiplier) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(dimension)
        .setGradientBound(1)
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(noiseMultiplier)
                .setNoise(
                    PrefixSumNoise.newBuilder()
                        .setTree(PrefixSumNoise.Tree.newBuilder().setVarianceReduced(false)))
                .setLearningRate(1))
        .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(1).setMinSeparation(0))
        .build();
  }

  @Test
  void onlyUncommittedReadsShowMoreThanOneTree() throws Exception {
    CentralCrashes.plan(crashes, seed);
    JobClient job = null;
    try (TestTopics testTopics = newTopics("central");
        Updates committed = new Updates(testTopics, "read_committed");
        Updates uncommitted = new Updates(testTopics, "read_uncommitted")) {
      testTopics.publish(zero);
      testTopics.publish(exact);
      testTopics.flush();
      job = start(testTopics, Map.of());
      while (CentralCrashes.left() > 0) {
        play(testTopics, committed, uncommitted);
      }
      int atLastCrash = committed.of(zero).size();
      while (committed.of(zero).size() < atLastCrash + 2) {
        play(testTopics, committed, uncommitted);
      }
      String savepoint =
          job.triggerSavepoint(
                  directory.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
              .get(60, TimeUnit.SECONDS);
      int then = committed.of(zero).size();
      while (committed.of(zero).size() < then + 4) {
        play(testTopics, committed, uncommitted);
      }
      job.cancel().get(30, TimeUnit.SECONDS);
      job.getJobExecutionResult().handle((result, end) -> "").get(30, TimeUnit.SECONDS);

      job = start(testTopics, Map.of("flink.execution.state-recovery.path", savepoint));
      assertThat(refusal(job)).as("another job from the savepoint").contains("older");
      committed.poll();
      uncommitted.poll();
      NoiseTree.check(committed.of(zero), GOAL, "seed " + seed);
      checkReports(testTopics, committed.of(exact));
      checkAccounts(testTopics, committed.of(zero).size());
      checkOthers(uncommitted.of(zero), committed.of(zero).size());
    } finally {
      if (job != null && !job.getJobExecutionResult().isDone()) {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** Users read the new updates, and answer them. */
  private void play(TestTopics testTopics, Updates committed, Updates uncommitted)
      throws Exception {
    CentralCrashes.WRITTEN.addAndGet(uncommitted.poll().size());
    for (ModelUpdate update : committed.poll()) {
      for (int i = 0; i < ANSWERS; i++) {
        report(testTopics, update);
      }
    }
    testTopics.flush();
  }

  private void report(TestTopics testTopics, ModelUpdate update) {
    int person = people++;
    boolean isZero = update.getModelId().equals(zero.getModelId());
    int dimension = isZero ? NoiseTree.DIMENSION : exact.getDimension();
    if (!isZero && person >= dimension) {
      throw new AssertionError(
          "More rounds than the exact model has coordinates for: seed " + seed);
    }
    GradientReport report =
        GradientReport.newBuilder()
            .setModelId(update.getModelId())
            .setRound(update.getRound())
            .setUserId("person-" + person)
            .setDeviceId("device")
            .setSequence(1)
            .setSparse(
                Sparse.newBuilder()
                    .setDimension(dimension)
                    .addIndices(isZero ? 0 : person)
                    .addValues(isZero ? 0 : 1))
            .setCentral(Central.getDefaultInstance())
            .build();
    testTopics.send(
        testTopics.topics.rawGradients(), report.getUserId().getBytes(UTF_8), report.toByteArray());
  }

  /** Every report counted as used is in the sum once, and was charged; no other report is in it. */
  private void checkReports(TestTopics testTopics, List<ModelUpdate> updates) throws Exception {
    for (int round = 0; round < updates.size(); round++) {
      assertThat(updates.get(round).getRound()).as("each once, seed %d", seed).isEqualTo(round);
    }
    ModelUpdate last = updates.get(updates.size() - 1);
    Set<String> charged = new HashSet<>();
    for (AccountingEvent event : testTopics.awaitEvents(exact.getModelId(), (int) last.getUsed())) {
      if (event.getOutcome() == Outcome.ADMITTED && event.getCentralSpend().getZeta() > 0) {
        charged.add(event.getUserId());
      }
    }
    int used = 0;
    for (int person = 0; person < exact.getDimension(); person++) {
      double weight = last.getWeights(person);
      if (weight < -0.5 / GOAL) {
        assertThat(charged).as("seed %d", seed).contains("person-" + person);
        assertThat(weight).as("seed %d", seed).isCloseTo(-1.0 / GOAL, within(1e-6));
        used++;
      } else {
        assertThat(weight).as("seed %d", seed).isCloseTo(0, within(1e-6));
      }
    }
    assertThat(used).as("seed %d", seed).isEqualTo((int) last.getUsed());
  }

  private void checkAccounts(TestTopics testTopics, int rounds) throws Exception {
    int admitted = 0;
    List<AccountingEvent> events = testTopics.awaitEvents(zero.getModelId(), GOAL * (rounds - 1));
    for (AccountingEvent event : events) {
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(event.getUserTotals().getMu()).isGreaterThan(0);
      assertThat(event.getUserTotals().getParticipations()).isLessThanOrEqualTo(1);
      admitted++;
    }
    assertThat(events.stream().map(AccountingEvent::getUserId).distinct()).hasSize(admitted);
    List<Long> guaranteed = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record :
        testTopics.awaitRecords(testTopics.topics.guarantees(), 2 * rounds - 2)) {
      GuaranteeEvent event = GuaranteeEvent.parseFrom(record.value());
      if (event.getModelId().equals(zero.getModelId())) {
        guaranteed.add(event.getRound());
        assertThat(event.getReplaceOne().getMu()).isEqualTo(2 * event.getZeroOut().getMu());
      }
    }
    assertThat(guaranteed).isSorted().doesNotHaveDuplicates().hasSize(rounds);
  }

  /**
   * The topic contains aborted updates that must stay invisible: the same sums with other noise
   * draws.
   */
  private void checkOthers(List<ModelUpdate> updates, int visible) {
    Map<Long, List<double[]>> rounds = new TreeMap<>();
    for (ModelUpdate update : updates) {
      rounds
          .computeIfAbsent(update.getRound(), round -> new ArrayList<>())
          .add(NoiseTree.noise(update, GOAL));
    }
    int twice = 0;
    for (List<double[]> versions : rounds.values()) {
      for (int i = 1; i < versions.size(); i++) {
        double[] redrawn = NoiseTree.difference(versions.get(i), versions.get(i - 1));
        assertThat(NoiseTree.dot(redrawn, redrawn))
            .as("a draw is never used again, seed %d", seed)
            .isGreaterThan(2 * NoiseTree.LEAST_SQUARES);
      }
      twice += versions.size() > 1 ? 1 : 0;
    }
    System.out.printf(
        "%d crashes %s, seed %d: %d rounds committed once; a reader of uncommitted updates saw %d of"
            + " them under several draws%n",
        crashes, CentralCrashes.happened(), seed, visible, twice);
    assertThat(twice)
        .as("no round had several draws, so the test has no power, seed %d", seed)
        .isPositive();
  }

  private JobClient start(TestTopics testTopics, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.put("flink.restart-strategy.fixed-delay.attempts", String.valueOf(Integer.MAX_VALUE));
    settings.putAll(more);
    return InstrumentedTopology.submit(JobConfig.of(settings), new CentralCrashes<>());
  }

  private static String refusal(JobClient job) {
    // A start waits for up to two minutes for a transaction that the cancelled job left open.
    Throwable end = catchThrowable(() -> job.getJobExecutionResult().get(4, TimeUnit.MINUTES));
    return ExceptionUtils.findThrowable(end, RefusedStartException.class)
        .orElseThrow(() -> new AssertionError("Not refused", end))
        .getMessage();
  }

  /** The updates topic, from its beginning, as a reader with the given isolation level sees it. */
  private static final class Updates implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, List<ModelUpdate>> seen = new HashMap<>();

    Updates(TestTopics testTopics, String isolation) {
      consumer = testTopics.consumer(testTopics.topics.updates(), isolation);
    }

    List<ModelUpdate> poll() throws Exception {
      List<ModelUpdate> updates = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(20))) {
        ModelUpdate update = ModelUpdate.parseFrom(record.value());
        updates.add(update);
        seen.computeIfAbsent(update.getModelId(), id -> new ArrayList<>()).add(update);
      }
      return updates;
    }

    List<ModelUpdate> of(ModelSpec spec) {
      return seen.getOrDefault(spec.getModelId(), List.of());
    }

    @Override
    public void close() {
      consumer.close();
    }
  }
}
