package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class StopITCase extends JobFixture {
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final List<AccountingEvent> seen = new ArrayList<>();

  @Test
  void aStopSurvivesRestartAndRebuild() throws Exception {
    testTopics.publish(spec);
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    assertThat(outcome("a", 0)).isEqualTo(Outcome.ADMITTED);
    stop("a", new byte[0]);
    long sequence = awaitOutcome("a", 1, Outcome.REFUSED_STOPPED);
    assertThat(outcome("b", 0)).isEqualTo(Outcome.ADMITTED);
    job.stop();

    stop("b", new byte[0]);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    assertThat(outcome("a", ++sequence)).isEqualTo(Outcome.REFUSED_STOPPED);
    assertThat(outcome("b", 1)).isEqualTo(Outcome.REFUSED_STOPPED);
    job.cancel();

    job.start(testTopics.settings(), LedgerStart.REBUILD);
    assertThat(outcome("a", ++sequence)).isEqualTo(Outcome.REFUSED_STOPPED);
    stop("a", null);
    awaitOutcome("a", ++sequence, Outcome.ADMITTED);
    assertThat(seen.get(seen.size() - 1).getUserTotals().getReports())
        .as("what was refused costs nothing")
        .isEqualTo(
            seen.stream()
                .filter(event -> event.getUserId().equals("a"))
                .filter(event -> event.getOutcome() == Outcome.ADMITTED)
                .count());
    assertThat(outcome("b", 2)).isEqualTo(Outcome.REFUSED_STOPPED);
    job.cancel();
  }

  private void stop(String user, byte[] value) throws Exception {
    testTopics.send(testTopics.topics.stops(), user, value);
    testTopics.flush();
  }

  /** Reports until the job has followed the topic; returns the number of the last report. */
  private long awaitOutcome(String user, long from, Outcome wanted) throws Exception {
    long sequence = from;
    while (outcome(user, sequence) != wanted) {
      sequence++;
    }
    return sequence;
  }

  /** Sends a report of epsilon 1 and returns its outcome. */
  private Outcome outcome(String user, long sequence) throws Exception {
    testTopics.send(OneHotReports.report(spec, 0, 0, user, sequence, 1));
    seen.add(testTopics.awaitNext(seen));
    return seen.get(seen.size() - 1).getOutcome();
  }
}
