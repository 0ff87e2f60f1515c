package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Position;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flink restores no savepoint of release 0.1.0, and the ledger can be rebuilt from the events of
 * that release. The savepoint is kept with the records on its topics.
 */
@Tag("ci")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FirstReleaseITCase {
  private static final Path KEPT =
      Path.of("src", "test", "resources", "refused-savepoints", "0.1.0");

  @TempDir private Path directory;
  private EmbeddedBroker broker;
  private TestTopics testTopics;
  private JobClient job;

  @BeforeEach
  void layRecords() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("broker"), KeptRecords.BROKER_SETTINGS);
    testTopics = new TestTopics(broker, "kept");
    KeptRecords.lay(testTopics, KeptRecords.read(KEPT.resolve("before.gz")));
  }

  @AfterEach
  void stop() throws Exception {
    if (!job.getJobExecutionResult().isDone()) {
      job.cancel().get(30, TimeUnit.SECONDS);
    }
    testTopics.close();
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashmap", "rocksdb"})
  void aSavepointIsNotRestored(String backend) throws Exception {
    start(
        LedgerStart.REQUIRE_STATE,
        Map.of(
            "flink.state.backend.type",
            backend,
            "flink.execution.state-recovery.path",
            KEPT.toUri().toString(),
            "flink.restart-strategy.type",
            "none"));

    Throwable end = catchThrowable(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS));

    assertThat(end).hasStackTraceContaining("'io.croupier.operators.accounting.");
  }

  /** Each user sends the newest judged report again. */
  @Test
  void itsEventsRebuildTheLedger() throws Exception {
    Map<Position, byte[]> reports = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> report :
        KeptRecords.committed(
                testTopics,
                List.of(testTopics.topics.gradients(), testTopics.topics.rawGradients()))
            .values()) {
      reports.put(
          Position.newBuilder()
              .setTopic(report.topic())
              .setPartition(report.partition())
              .setOffset(report.offset())
              .build(),
          report.value());
    }
    Map<String, AccountingEvent> last = new LinkedHashMap<>();
    List<AccountingEvent> recorded = testTopics.events();
    recorded.forEach(event -> last.put(event.getUserId(), event));

    start(LedgerStart.REBUILD, Map.of());
    for (AccountingEvent event : last.values()) {
      testTopics.send(
          event.getSource().getTopic(),
          event.getUserId().getBytes(UTF_8),
          reports.get(event.getSource()));
    }
    testTopics.flush();
    testTopics.awaitRecords(testTopics.topics.accounting(), recorded.size() + last.size());
    List<AccountingEvent> resent = new ArrayList<>(testTopics.events());
    resent.removeAll(recorded);

    assertThat(resent).hasSameSizeAs(last.values()).hasSizeGreaterThan(10);
    for (AccountingEvent event : resent) {
      AccountingEvent earlier = last.get(event.getUserId());
      int charged = AccountingEvents.isCharged(event) ? 1 : 0;
      assertThat(event.getUserTotals().getReports())
          .isEqualTo(earlier.getUserTotals().getReports() + charged);
      assertThat(event.getUserTotals().getEpsilon())
          .isEqualTo(earlier.getUserTotals().getEpsilon() + event.getSpent().getEpsilon());
    }
  }

  private void start(LedgerStart ledger, Map<String, String> more) throws Exception {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.putAll(more);
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2), JobConfig.of(settings), ledger);
  }
}
