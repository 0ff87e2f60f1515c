package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class StopITCase extends BrokerFixture {
  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final List<AccountingEvent> seen = new ArrayList<>();

  @Test
  void aStopSurvivesRestartAndRebuild() throws Exception {
    try (TestTopics testTopics = newTopics("stops")) {
      testTopics.publish(spec);
      RestartedJob job = new RestartedJob(directory);
      job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
      assertThat(outcome(testTopics, "a", 0)).isEqualTo(Outcome.ADMITTED);
      stop(testTopics, "a", new byte[0]);
      long sequence = awaitOutcome(testTopics, "a", 1, Outcome.REFUSED_STOPPED);
      assertThat(outcome(testTopics, "b", 0)).isEqualTo(Outcome.ADMITTED);
      job.stop();

      stop(testTopics, "b", new byte[0]);
      job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
      assertThat(outcome(testTopics, "a", ++sequence)).isEqualTo(Outcome.REFUSED_STOPPED);
      assertThat(outcome(testTopics, "b", 1)).isEqualTo(Outcome.REFUSED_STOPPED);
      job.cancel();

      job.start(testTopics.settings(), LedgerStart.REBUILD);
      assertThat(outcome(testTopics, "a", ++sequence)).isEqualTo(Outcome.REFUSED_STOPPED);
      stop(testTopics, "a", null);
      awaitOutcome(testTopics, "a", ++sequence, Outcome.ADMITTED);
      assertThat(seen.get(seen.size() - 1).getUserTotals().getReports())
          .as("what was refused costs nothing")
          .isEqualTo(
              seen.stream()
                  .filter(event -> event.getUserId().equals("a"))
                  .filter(event -> event.getOutcome() == Outcome.ADMITTED)
                  .count());
      assertThat(outcome(testTopics, "b", 2)).isEqualTo(Outcome.REFUSED_STOPPED);
      job.cancel();
    }
  }

  private static void stop(TestTopics testTopics, String user, byte[] value) throws Exception {
    testTopics.send(testTopics.topics.stops(), user.getBytes(UTF_8), value);
    testTopics.flush();
  }

  /** Reports until the job has followed the topic; returns the number of the last report. */
  private long awaitOutcome(TestTopics testTopics, String user, long from, Outcome wanted)
      throws Exception {
    long sequence = from;
    while (outcome(testTopics, user, sequence) != wanted) {
      sequence++;
    }
    return sequence;
  }

  /** Sends a report of epsilon 1 and returns its outcome. */
  private Outcome outcome(TestTopics testTopics, String user, long sequence) throws Exception {
    testTopics.send(
        OneHotReports.report(spec, 0, 0).toBuilder()
            .setUserId(user)
            .setSequence(sequence)
            .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1))
            .build());
    testTopics.flush();
    testTopics.awaitRecords(testTopics.topics.accounting(), seen.size() + 1);
    List<AccountingEvent> events = testTopics.events();
    seen.forEach(events::remove);
    assertThat(events).hasSize(1);
    seen.addAll(events);
    return events.get(0).getOutcome();
  }
}
