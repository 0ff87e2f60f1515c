package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts of a job when accounts exist, with two subtasks, on a real broker. */
@Tag("ci")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StartITCase extends BrokerFixture {
  private static final int PEOPLE = 40;

  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", PEOPLE, 1);
  private TestTopics testTopics;
  private JobClient job;

  @BeforeEach
  void openTopics() throws Exception {
    testTopics = newTopics("start");
  }

  @AfterEach
  void closeTopics() throws Exception {
    if (!job.getJobExecutionResult().isDone()) {
      stop();
    }
    testTopics.close();
  }

  @Test
  void refusesToStartWithoutStateIfAccountsExist() throws Exception {
    run(1);
    stop();

    start(LedgerStart.REQUIRE_STATE, Map.of());

    assertThat(refusal())
        .contains(testTopics.topics.accounting(), "--from", "--rebuild-ledger", "--new-ledger");
  }

  @Tag("thorough")
  @Test
  void rebuildsLostTotals() throws Exception {
    long lastRound = run(1).getRound();
    List<AccountingEvent> before = testTopics.awaitEvents("m", PEOPLE);
    stop();
    // These reports wait after the last accounted position while no job runs.
    send(2, 0, PEOPLE / 2);

    start(LedgerStart.REBUILD, Map.of());
    send(2, PEOPLE / 2, PEOPLE);
    List<AccountingEvent> events = testTopics.awaitEvents("m", 2 * PEOPLE);
    send(1, 0, 1);
    List<AccountingEvent> all = testTopics.awaitEvents("m", 2 * PEOPLE + 1);

    assertThat(all).containsAll(before).hasSize(2 * PEOPLE + 1);
    Set<Position> positions = new HashSet<>();
    all.forEach(event -> positions.add(event.getSource()));
    assertThat(positions).hasSize(2 * PEOPLE + 1);
    assertThat(events).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    Map<String, Spend> last = new HashMap<>();
    events.forEach(event -> last.put(event.getUserId(), event.getUserTotals()));
    assertThat(last).hasSize(PEOPLE);
    last.forEach(
        (user, totals) -> {
          assertThat(totals.getReports()).isEqualTo(2);
          assertThat(totals.getEpsilon()).isEqualTo(2 * epsilon(user));
        });
    assertThat(all)
        .filteredOn(event -> event.getOutcome() != Outcome.ADMITTED)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_SEQUENCE);
              assertThat(event.getReason()).contains("at least 2");
            });
    List<ModelUpdate> updates = testTopics.updates("m");
    assertThat(updates).extracting(ModelUpdate::getRound).isSorted();
    assertThat(updates)
        .filteredOn(update -> update.getRound() > lastRound)
        .first()
        .extracting(ModelUpdate::getRound)
        .isEqualTo(lastRound + 1);
  }

  @Tag("thorough")
  @Test
  void newLedgerIgnoresAccounts() throws Exception {
    run(1);
    stop();
    // As if each event were the erased one of a person, and the brokers had compacted the topic.
    deleteEvents();

    start(LedgerStart.NEW, Map.of());
    send(2, 0, PEOPLE);
    List<AccountingEvent> events = testTopics.awaitEvents("m", PEOPLE);
    assertThat(events).extracting(AccountingEvent::getSequence).containsOnly(2L);

    Map<String, Spend> last = new HashMap<>();
    events.forEach(event -> last.put(event.getUserId(), event.getUserTotals()));
    assertThat(last.values()).allMatch(totals -> totals.getReports() == 1);

    // All subtasks together have noted the events before the new ledger, each those of its share.
    String savepoint =
        job.stopWithSavepoint(false, savepoints(), SavepointFormatType.CANONICAL)
            .get(60, TimeUnit.SECONDS);
    start(LedgerStart.REQUIRE_STATE, recovery(savepoint));
    send(3, 0, PEOPLE);
    assertThat(testTopics.awaitEvents("m", 2 * PEOPLE)).hasSize(2 * PEOPLE);
  }

  /** The new topic already has the restored offsets, so the job reads only what follows them. */
  @Tag("thorough")
  @Test
  void warnsOfAGradientTopicThatWasCreatedAgain() throws Exception {
    run(1);
    String savepoint =
        job.stopWithSavepoint(false, savepoints(), SavepointFormatType.CANONICAL)
            .get(60, TimeUnit.SECONDS);
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(testTopics.kafka()))) {
      admin.deleteTopics(List.of(testTopics.topics.gradients())).all().get();
      while (admin.listTopics().names().get().contains(testTopics.topics.gradients())) {
        Thread.onSpinWait();
      }
      KafkaTopics.create(admin, testTopics.topics, 2, (short) 1);
    }
    send(2, 0, PEOPLE);

    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      start(LedgerStart.REQUIRE_STATE, recovery(savepoint));
      send(3, 0, PEOPLE);
      assertThat(testTopics.awaitEvents("m", 2 * PEOPLE))
          .extracting(AccountingEvent::getSequence)
          .containsOnly(1L, 3L);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains(testTopics.topics.gradients(), "was created again");
    }
    String next =
        job.stopWithSavepoint(false, savepoints(), SavepointFormatType.CANONICAL)
            .get(60, TimeUnit.SECONDS);
    start(LedgerStart.REQUIRE_STATE, recovery(savepoint));
    assertThat(refusal()).contains("older", "--rebuild-ledger");
    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      start(LedgerStart.REQUIRE_STATE, recovery(next));
      send(4, 0, PEOPLE);
      assertThat(testTopics.awaitEvents("m", 3 * PEOPLE)).hasSize(3 * PEOPLE);
      assertThat(warnings.messages()).isEmpty();
    }
  }

  /** The job doesn't discard the state and start without it. */
  @Tag("thorough")
  @Test
  void flinkRefusesStateOfAnotherMaxParallelism() throws Exception {
    run(1);
    String savepoint =
        job.stopWithSavepoint(false, savepoints(), SavepointFormatType.CANONICAL)
            .get(60, TimeUnit.SECONDS);
    Map<String, String> more = new HashMap<>(recovery(savepoint));
    more.put("max-parallelism", "64");

    assertThat(catchThrowable(() -> start(LedgerStart.REQUIRE_STATE, more)))
        .hasStackTraceContaining("Max parallelism mismatch between checkpoint/savepoint state");
    start(LedgerStart.REQUIRE_STATE, recovery(savepoint));
    send(2, 0, PEOPLE);
    assertThat(testTopics.awaitEvents("m", 2 * PEOPLE)).hasSize(2 * PEOPLE);
  }

  private Map<String, String> recovery(String path) {
    return Map.of("flink.execution.state-recovery.path", path);
  }

  private String savepoints() {
    return directory.resolve("savepoints").toUri().toString();
  }

  /** Runs a first job, to which every user reports once. */
  private ModelUpdate run(int sequence) throws Exception {
    testTopics.publish(spec);
    testTopics.flush();
    start(LedgerStart.REQUIRE_STATE, Map.of());
    testTopics.awaitUpdate("m", update -> update.getRound() == 0);
    send(sequence, 0, PEOPLE);
    testTopics.awaitEvents("m", PEOPLE);
    return OneHotReports.awaitAllOfMixedNoise(testTopics, spec, PEOPLE);
  }

  private void send(int sequence, int from, int to) throws Exception {
    long round = testTopics.newestRound("m");
    for (int i = from; i < to; i++) {
      GradientReport report = OneHotReports.report(spec, round, i);
      testTopics.send(
          report.toBuilder()
              .setSequence(sequence)
              .setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon(report.getUserId())))
              .build());
    }
    testTopics.flush();
  }

  private void deleteEvents() throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(testTopics.kafka()))) {
      Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
      for (int partition = 0; partition < 2; partition++) {
        all.put(
            new TopicPartition(testTopics.topics.accounting(), partition),
            RecordsToDelete.beforeOffset(-1)); // the end
      }
      admin.deleteRecords(all).all().get();
    }
  }

  private static double epsilon(String user) {
    return 0.5 + user.hashCode() % 2 * 0.25;
  }

  private void start(LedgerStart start, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.putAll(more);
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(settings),
            start);
  }

  /** Cancels the job; its state is not used again. */
  private void stop() throws Exception {
    job.cancel().get(30, TimeUnit.SECONDS);
    job.getJobExecutionResult().handle((result, end) -> "").get(30, TimeUnit.SECONDS);
  }

  /** The reason for which the job failed permanently at its start. */
  private String refusal() throws Exception {
    Throwable end = catchThrowable(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS));
    assertThat(end).hasStackTraceContaining("The failure is not recoverable");
    return ExceptionUtils.findThrowable(end, RefusedStartException.class)
        .orElseThrow()
        .getMessage();
  }
}
