package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts of a job when accounts exist, with two subtasks, on a real broker. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StartITCase extends JobFixture {
  private static final int PEOPLE = 40;

  private final ModelSpec spec = OneHotReports.spec("m", PEOPLE, 1);

  @Test
  void refusesToStartWithoutStateIfAccountsExist() throws Exception {
    run(1);
    TestJobs.cancel(job);

    start(testTopics.settings());

    assertThat(refusal())
        .contains(testTopics.topics.accounting(), "--from", "--rebuild-ledger", "--new-ledger");
  }

  /** A first run was killed after its sources committed their offsets, and before its sinks did. */
  @Test
  void beginsWithReportsThatALostRunHasReadAndNotJudged() throws Exception {
    testTopics.publish(spec);
    for (int i = 0; i < PEOPLE; i++) {
      testTopics.send(OneHotReports.report(spec, 0, i, "person-" + i, 1, 1));
    }
    testTopics.flush();
    String group = KafkaIo.group(JobConfig.of(testTopics.settings()));
    try (Admin admin = testTopics.admin();
        KafkaConsumer<byte[], byte[]> reader = testTopics.consumer(testTopics.topics.gradients())) {
      Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();
      reader
          .endOffsets(reader.assignment())
          .forEach((partition, end) -> read.put(partition, new OffsetAndMetadata(end)));
      admin.alterConsumerGroupOffsets(group, read).all().get();
    }

    start(testTopics.settings());

    assertThat(testTopics.awaitEvents("m", PEOPLE)).hasSize(PEOPLE);
  }

  @Tag("thorough")
  @Test
  void rebuildsLostTotals() throws Exception {
    long lastRound = run(1).getRound();
    List<AccountingEvent> before = testTopics.awaitEvents("m", PEOPLE);
    TestJobs.cancel(job);
    // These reports wait after the last accounted position while no job runs.
    send(2, 0, PEOPLE / 2);

    start(testTopics.settings(), LedgerStart.REBUILD);
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
    TestJobs.cancel(job);
    // As if each event were the erased one of a person, and the brokers had compacted the topic.
    for (int partition = 0; partition < 2; partition++) {
      testTopics.deleteRecords(testTopics.topics.accounting(), partition, -1);
    }

    start(testTopics.settings(), LedgerStart.NEW);
    send(2, 0, PEOPLE);
    List<AccountingEvent> events = testTopics.awaitEvents("m", PEOPLE);
    assertThat(events).extracting(AccountingEvent::getSequence).containsOnly(2L);

    Map<String, Spend> last = new HashMap<>();
    events.forEach(event -> last.put(event.getUserId(), event.getUserTotals()));
    assertThat(last.values()).allMatch(totals -> totals.getReports() == 1);

    // All subtasks together have noted the events before the new ledger, each those of its share.
    String savepoint = TestJobs.stop(job, directory);
    start(recovery(savepoint));
    send(3, 0, PEOPLE);
    assertThat(testTopics.awaitEvents("m", 2 * PEOPLE)).hasSize(2 * PEOPLE);
  }

  /** The new topic already has the restored offsets, so the job reads only what follows them. */
  @Tag("thorough")
  @Test
  void warnsOfAGradientTopicThatWasCreatedAgain() throws Exception {
    run(1);
    String savepoint = TestJobs.stop(job, directory);
    try (Admin admin = testTopics.admin()) {
      admin.deleteTopics(List.of(testTopics.topics.gradients())).all().get();
      while (admin.listTopics().names().get().contains(testTopics.topics.gradients())) {
        Thread.onSpinWait();
      }
      KafkaTopics.create(admin, testTopics.topics, 2, (short) 1);
    }
    send(2, 0, PEOPLE);

    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      start(recovery(savepoint));
      send(3, 0, PEOPLE);
      assertThat(testTopics.awaitEvents("m", 2 * PEOPLE))
          .extracting(AccountingEvent::getSequence)
          .containsOnly(1L, 3L);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains(testTopics.topics.gradients(), "was created again");
    }
    String next = TestJobs.stop(job, directory);
    start(recovery(savepoint));
    assertThat(refusal()).contains("older", "--rebuild-ledger");
    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      start(recovery(next));
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
    String savepoint = TestJobs.stop(job, directory);
    Map<String, String> other = recovery(savepoint);
    other.put("max-parallelism", "64");
    assertThat(catchThrowable(() -> start(other)))
        .hasStackTraceContaining("Max parallelism mismatch between checkpoint/savepoint state");
    start(recovery(savepoint));
    send(2, 0, PEOPLE);
    assertThat(testTopics.awaitEvents("m", 2 * PEOPLE)).hasSize(2 * PEOPLE);
  }

  private Map<String, String> recovery(String path) {
    Map<String, String> settings = testTopics.settings();
    settings.put(STATE, path);
    return settings;
  }

  /** Runs a first job, to which every user reports once. */
  private ModelUpdate run(int sequence) throws Exception {
    testTopics.publish(spec);
    testTopics.flush();
    start(testTopics.settings());
    testTopics.awaitUpdate("m", update -> update.getRound() == 0);
    send(sequence, 0, PEOPLE);
    testTopics.awaitEvents("m", PEOPLE);
    return OneHotReports.awaitAllOfMixedNoise(testTopics, spec, PEOPLE);
  }

  private void send(int sequence, int from, int to) throws Exception {
    long round = testTopics.newestRound("m");
    for (int i = from; i < to; i++) {
      String user = "person-" + i;
      testTopics.send(OneHotReports.report(spec, round, i, user, sequence, epsilon(user)));
    }
    testTopics.flush();
  }

  private static double epsilon(String user) {
    return 0.5 + user.hashCode() % 2 * 0.25;
  }

  /** The reason for which the job failed permanently at its start. */
  private String refusal() throws Exception {
    Throwable end = catchThrowable(() -> job.getJobExecutionResult().get(5, TimeUnit.MINUTES));
    assertThat(end).hasStackTraceContaining("The failure is not recoverable");
    return ExceptionUtils.findThrowable(end, RefusedStartException.class)
        .orElseThrow()
        .getMessage();
  }
}
