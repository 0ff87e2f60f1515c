package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every report is accounted for exactly once and enters the model exactly once: by the counts of
 * two independent topics, by the one-hot trick, and by the journal; through failures, unaligned
 * checkpoints and a stop with savepoint.
 */
class ExactlyOnceITCase extends BrokerFixture {
  private static final int REPORTS = 2000;

  /** Reports before the job fails or stops, and a few more that leave a round half full. */
  private static final int BEFORE_FAILURE = 750;

  /** Reports that name one round. */
  private static final int BATCH = 250;

  @TempDir private static Path directory;
  private TestTopics testTopics;
  private JobClient job;

  @BeforeEach
  void openTopics() throws Exception {
    testTopics = newTopics("once");
  }

  @AfterEach
  void closeTopics() throws Exception {
    if (job != null) {
      job.cancel().get(30, TimeUnit.SECONDS);
    }
    testTopics.close();
  }

  @Tag("ci")
  @Test
  void everyReportIsUsedOnce() throws Exception {
    ModelSpec spec = OneHotReports.spec("plain", REPORTS, 1);
    job = start(configuration(Map.of()), Stage.NONE);
    publishAndAwaitRoundZero(spec);

    sendReports(spec, 0, REPORTS);

    checkAccounts(spec, REPORTS);
  }

  @Tag("ci")
  @Test
  void failuresWithUnalignedCheckpointsLoseNothingAndRepeatNothing() throws Exception {
    checkFailing(100, true, Stage.BEFORE_PRE_AGGREGATION);
  }

  @Tag("thorough")
  @ParameterizedTest(name = "{0} reports a round")
  @ValueSource(ints = {1, 100})
  void failuresBeforeReportsAreSummedLoseNothingAndRepeatNothing(int reportsPerRound)
      throws Exception {
    checkFailing(reportsPerRound, false, Stage.BEFORE_PRE_AGGREGATION);
  }

  @Tag("ci")
  @Test
  void failuresBeforeTheLearnerLoseNothingAndRepeatNothing() throws Exception {
    checkFailing(100, false, Stage.BEFORE_LEARNER);
  }

  private void checkFailing(int reportsPerRound, boolean unaligned, Stage stage) throws Exception {
    FailingMap.reset();
    ModelSpec spec =
        OneHotReports.spec(
            "failing-" + reportsPerRound + unaligned + stage, REPORTS, reportsPerRound);
    job =
        start(
            configuration(
                Map.of(
                    "journal.enabled",
                    "true",
                    "flink.execution.checkpointing.unaligned.enabled",
                    unaligned + "")),
            stage);
    publishAndAwaitRoundZero(spec);

    int sent = leaveHalfARound(spec);
    FailingMap.begin();
    sendReports(spec, sent, REPORTS);

    checkAccounts(spec, REPORTS);
    JournalCheck.check(testTopics, spec.getModelId(), REPORTS);
    assertThat(FailingMap.FAILED).hasPositiveValue();
    assertThat(FailingMap.RESTORED).hasPositiveValue();
  }

  @Tag("thorough")
  @Test
  void stopWithSavepointAndContinue() throws Exception {
    ModelSpec spec = OneHotReports.spec("stopped", REPORTS, 100);
    job = start(configuration(Map.of()), Stage.NONE);
    publishAndAwaitRoundZero(spec);
    int sent = leaveHalfARound(spec);

    String savepoint =
        job.stopWithSavepoint(
                false,
                directory.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get(60, TimeUnit.SECONDS);
    sendReports(spec, sent, REPORTS);
    job =
        start(configuration(Map.of("flink.execution.state-recovery.path", savepoint)), Stage.NONE);

    checkAccounts(spec, REPORTS);
  }

  /**
   * Sends a first part, after which the model waits with half a round or more; returns its size.
   */
  private int leaveHalfARound(ModelSpec spec) throws Exception {
    sendReports(spec, 0, BEFORE_FAILURE);
    long open = OneHotReports.awaitAll(testTopics, spec, BEFORE_FAILURE).getOpen();
    int more = (int) Math.max(0, spec.getReportsPerRound() / 2 - open);
    sendReports(spec, BEFORE_FAILURE, BEFORE_FAILURE + more);
    OneHotReports.awaitAll(testTopics, spec, BEFORE_FAILURE + more);
    return BEFORE_FAILURE + more;
  }

  private JobConfig configuration(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.put("checkpoint.interval", "500 ms");
    settings.putAll(more);
    return JobConfig.of(settings);
  }

  /** The job's own stages, with failures between two of them. */
  private static JobClient start(JobConfig config, Stage stage) throws Exception {
    return InstrumentedTopology.submit(
        config,
        admitted -> stage == Stage.BEFORE_PRE_AGGREGATION ? failing(admitted, 100) : admitted,
        sums -> stage == Stage.BEFORE_LEARNER ? failing(sums, 2) : sums);
  }

  /** Fails at the {@code after}-th record of a subtask, twice in all. */
  private static DataStream<RoundSum> failing(DataStream<RoundSum> sums, int after) {
    return sums.map(new FailingMap<RoundSum>(after, 2))
        .returns(RecordType.ROUND_SUM)
        .uid("failing");
  }

  private void publishAndAwaitRoundZero(ModelSpec spec) throws Exception {
    testTopics.publish(spec);
    testTopics.flush();
    testTopics.awaitUpdate(spec.getModelId(), u -> u.getRound() == 0);
  }

  private void sendReports(ModelSpec spec, int from, int to) throws Exception {
    for (int batch = from; batch < to; batch += BATCH) {
      long round = testTopics.newestRound(spec.getModelId());
      for (int i = batch; i < Math.min(to, batch + BATCH); i++) {
        testTopics.send(OneHotReports.report(spec, round, i));
      }
      testTopics.flush();
    }
  }

  private void checkAccounts(ModelSpec spec, int reports) throws Exception {
    String id = spec.getModelId();
    ModelUpdate last = OneHotReports.awaitAll(testTopics, spec, reports);
    assertThat(last.getDroppedStale() + last.getDroppedUnpublished()).isZero();
    assertThat(last.getOpen()).as("less than a round").isLessThan(spec.getReportsPerRound());

    List<AccountingEvent> events = testTopics.awaitEvents(id, reports);
    assertThat(events).hasSize(reports);
    assertThat(events).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);
    Set<String> people = new HashSet<>();
    events.forEach(e -> people.add(e.getUserId()));
    assertThat(people).hasSize(reports);
    assertThat(events).allMatch(e -> e.getModelTotals().getReports() == 1);
  }

  private enum Stage {
    NONE,
    BEFORE_PRE_AGGREGATION,
    BEFORE_LEARNER
  }
}
