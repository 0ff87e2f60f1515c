package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Every report is accounted for exactly once and enters the model exactly once: by the counts of
 * two independent topics, by the one-hot trick, and by the journal; through failures with unaligned
 * checkpoints.
 */
class ExactlyOnceITCase extends JobFixture {
  private static final int REPORTS = 2000;

  /** Reports before the job fails, and a few more that leave a round half full. */
  private static final int BEFORE_FAILURE = 750;

  /** Reports that name one round. */
  private static final int BATCH = 250;

  @Test
  void failuresLoseNothingAndRepeatNothing() throws Exception {
    FailingMap.reset();
    ModelSpec spec = OneHotReports.spec("failing", REPORTS, 100);
    startFailing();
    testTopics.begin(spec);

    int sent = leaveHalfARound(spec);
    FailingMap.begin();
    sendReports(spec, sent, REPORTS);

    checkAccounts(spec);
    JournalCheck.check(testTopics, spec.getModelId(), REPORTS);
    assertThat(FailingMap.FAILED).hasPositiveValue();
    assertThat(FailingMap.RESTORED).hasPositiveValue();
    assertThat(changelog()).isNotEmptyDirectory();
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

  /** The job's own stages, with failures between ledger and pre-aggregation. */
  private void startFailing() throws Exception {
    Map<String, String> settings = withCheckpoints(testTopics.settings());
    settings.put("checkpoint.interval", "500 ms");
    settings.put("journal.enabled", "true");
    settings.put("flink.execution.checkpointing.unaligned.enabled", "true");
    settings.put("flink.state.changelog.enabled", "true");
    settings.put("flink.state.changelog.storage", "filesystem");
    settings.put("flink.state.changelog.periodic-materialize.interval", "1 s");
    settings.put("flink.state.changelog.dstl.dfs.base-path", changelog().toUri().toString());
    settings.put("flink.execution.state-recovery.claim-mode", "CLAIM");
    job = InstrumentedTopology.failing(JobConfig.of(settings));
  }

  private Path changelog() {
    return directory.resolve("changelog");
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

  private void checkAccounts(ModelSpec spec) throws Exception {
    String id = spec.getModelId();
    ModelUpdate last = OneHotReports.awaitAll(testTopics, spec, REPORTS);
    assertThat(last.getDroppedStale() + last.getDroppedUnpublished()).isZero();
    assertThat(last.getOpen()).as("less than a round").isLessThan(spec.getReportsPerRound());

    List<AccountingEvent> events = testTopics.awaitEvents(id, REPORTS);
    assertThat(events).hasSize(REPORTS);
    assertThat(events).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);
    Set<String> people = new HashSet<>();
    events.forEach(e -> people.add(e.getUserId()));
    assertThat(people).hasSize(REPORTS);
    assertThat(events).allMatch(e -> e.getModelTotals().getReports() == 1);
  }
}
