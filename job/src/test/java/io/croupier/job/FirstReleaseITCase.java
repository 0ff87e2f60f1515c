package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flink restores no savepoint of release 0.1.0, and the ledger can be rebuilt from the events of
 * that release. The savepoint is kept with the records on its topics.
 */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FirstReleaseITCase extends KeptStateFixture {
  private static final Path KEPT =
      Path.of("src", "test", "resources", "refused-savepoints", "0.1.0");

  @Override
  String prefix() {
    return "kept";
  }

  @BeforeEach
  void layRecords() throws Exception {
    KeptRecords.lay(testTopics, KeptRecords.read(KEPT.resolve(BEFORE)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashmap", "rocksdb"})
  void aSavepointIsNotRestored(String backend) throws Exception {
    start(
        LedgerStart.REQUIRE_STATE,
        Map.of(
            "flink.state.backend.type",
            backend,
            JobFixture.STATE,
            KEPT.toUri().toString(),
            "flink.restart-strategy.type",
            "none"));

    Throwable end = catchThrowable(() -> job.getJobExecutionResult().get(5, TimeUnit.MINUTES));

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
      reports.put(TestTopics.position(report), report.value());
    }
    Map<String, AccountingEvent> last = new LinkedHashMap<>();
    List<AccountingEvent> recorded = testTopics.events();
    recorded.forEach(event -> last.put(event.getUserId(), event));

    start(LedgerStart.REBUILD, Map.of());
    for (AccountingEvent event : last.values()) {
      testTopics.send(
          event.getSource().getTopic(), event.getUserId(), reports.get(event.getSource()));
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
}
