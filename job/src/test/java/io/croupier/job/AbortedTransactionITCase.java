package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Position;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker aborts transactions that the job had pre-committed: a checkpoint took longer than the
 * transaction timeout, and the job crashed before it could commit. The next start logs the
 * positions of the lost records, and continues.
 */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AbortedTransactionITCase {
  private static final int PEOPLE = 20;

  /** Transaction timeout, far below any sensible setting for production. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(5);

  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 3 * PEOPLE, 1);
  private TestTopics testTopics;

  @Test
  void warningNamesPositionsOfAbortedEvents() throws Exception {
    Map<String, String> hasty =
        Map.of(
            "transaction.max.timeout.ms",
            String.valueOf(LONGEST_TRANSACTION.toMillis()),
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
            "500");
    JobClient job = null;
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"), hasty);
        TestTopics opened = new TestTopics(broker, "taken-back");
        LoggedWarnings warnings = new LoggedWarnings("io.croupier.operators")) {
      testTopics = opened;
      job = start();
      testTopics.begin(spec);
      send(1);
      OneHotReports.awaitAll(testTopics, spec, PEOPLE);

      LongCheckpoint.begin(PEOPLE);
      send(2);
      awaitWritten(2 * PEOPLE);
      awaitEndOfTransactions();
      LongCheckpoint.end();

      send(3);
      OneHotReports.awaitAll(testTopics, spec, 3 * PEOPLE);
      List<AccountingEvent> events = testTopics.awaitEvents("m", 2 * PEOPLE);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains("transaction.max.timeout.ms");
      checkNamed(warnings.messages().get(0), events);
      // Only their events are lost: the accounts in the state include the reports.
      assertThat(events)
          .filteredOn(event -> event.getSequence() == 3)
          .hasSize(PEOPLE)
          .allMatch(event -> event.getOutcome() == Outcome.ADMITTED)
          .allMatch(event -> event.getUserTotals().getReports() == 3);
    } finally {
      if (job != null) {
        TestJobs.cancel(job);
      }
    }
  }

  private void awaitWritten(int events) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        testTopics.consumer(testTopics.topics.accounting(), "read_uncommitted")) {
      for (int seen = 0; seen < events; ) {
        seen += consumer.poll(Duration.ofMillis(50)).count();
      }
    }
  }

  /** Waits until no transaction is open on the accounting topic. */
  private void awaitEndOfTransactions() {
    try (KafkaConsumer<byte[], byte[]> all =
            testTopics.consumer(testTopics.topics.accounting(), "read_uncommitted");
        KafkaConsumer<byte[], byte[]> stable =
            testTopics.consumer(testTopics.topics.accounting())) {
      while (!stable.endOffsets(stable.assignment()).equals(all.endOffsets(all.assignment()))) {
        Thread.onSpinWait();
      }
    }
  }

  /**
   * The logged ranges cover every report that has no event, and each range ends with such a report.
   */
  private void checkNamed(String warning, List<AccountingEvent> events) throws Exception {
    Set<Position> missing = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> report :
        testTopics.awaitRecords(testTopics.topics.gradients(), 3 * PEOPLE)) {
      missing.add(TestTopics.position(report));
    }
    events.forEach(event -> missing.remove(event.getSource()));
    assertThat(missing).as("records that the broker aborted").isNotEmpty();
    Set<Position> named = new HashSet<>();
    Matcher range =
        Pattern.compile(
                Pattern.quote(testTopics.topics.gradients()) + "-(\\d+): (\\d+)\\.\\.(\\d+)")
            .matcher(warning);
    while (range.find()) {
      int partition = Integer.parseInt(range.group(1));
      long to = Long.parseLong(range.group(3));
      assertThat(missing).as(warning).contains(position(partition, to));
      for (long offset = Long.parseLong(range.group(2)); offset <= to; offset++) {
        named.add(position(partition, offset));
      }
    }
    assertThat(named).as(warning).containsAll(missing);
  }

  private Position position(int partition, long offset) {
    return Position.newBuilder()
        .setTopic(testTopics.topics.gradients())
        .setPartition(partition)
        .setOffset(offset)
        .build();
  }

  /** Every user reports, each on a different coordinate. */
  private void send(int sequence) throws Exception {
    long round = testTopics.newestRound("m");
    for (int person = 0; person < PEOPLE; person++) {
      int coordinate = (sequence - 1) * PEOPLE + person;
      testTopics.send(
          OneHotReports.report(spec, round, coordinate, "person-" + person, sequence, 0.5));
    }
    testTopics.flush();
  }

  private JobClient start() throws Exception {
    Map<String, String> settings = testTopics.settings();
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    return InstrumentedTopology.submit(JobConfig.of(settings), new LongCheckpoint());
  }
}
