package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The journal of a job with two subtasks, on a real broker. */
@Tag("ci")
class JournalITCase extends BrokerFixture {
  private static final int BATCH = 50;
  private static final int BATCHES = 4;

  /** One of this many reports names a round that was never published. */
  private static final int UNPUBLISHED = 10;

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void everyAdmittedReportIsJournalledOnce() throws Exception {
    try (TestTopics testTopics = newTopics("journalled")) {
      Map<String, String> settings = new HashMap<>(testTopics.settings());
      settings.put("journal.enabled", "true");
      // Only a barrier ends a bundle.
      settings.put("pre-aggregation.interval", "10 s");
      settings.put("checkpoint.interval", "200 ms");
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
              JobConfig.of(settings));
      ModelSpec spec = OneHotReports.spec("m", BATCH * BATCHES, 4);
      testTopics.publish(spec);
      testTopics.flush();
      testTopics.awaitUpdate("m", u -> true);
      for (int batch = 1; batch <= BATCHES; batch++) {
        sendBatch(testTopics, spec, batch);
        // Waits for a new visible round, so that the reports of the next batch are the first to
        // name it.
        OneHotReports.awaitAll(testTopics, spec, batch * (BATCH - BATCH / UNPUBLISHED));
      }

      JournalCheck.check(testTopics, "m", BATCH * BATCHES);
      assertThat(testTopics.awaitJournal("m", BATCH * BATCHES))
          .extracting(Bundle::getPositionsCount)
          .as("sums of several reports")
          .anyMatch(count -> count > 1);
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void aJobWithoutAJournalRunsWithoutItsTopic() throws Exception {
    try (TestTopics testTopics = newTopics("unjournalled");
        Admin admin = Admin.create(Map.<String, Object>copyOf(testTopics.kafka()))) {
      Set<String> missing = Set.of(testTopics.topics.journal());
      admin.deleteTopics(missing).all().get();
      while (admin.listTopics().names().get().containsAll(missing)) {
        Thread.onSpinWait();
      }
      Map<String, String> settings = new HashMap<>(testTopics.settings());
      settings.put("flink.restart-strategy.type", "none");
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
              JobConfig.of(settings));
      ModelSpec spec = OneHotReports.spec("m", 1, 1);
      testTopics.publish(spec);
      testTopics.send(OneHotReports.report(spec, 0, 0));
      testTopics.flush();

      assertThat(testTopics.awaitEvents("m", 1))
          .extracting(AccountingEvent::getOutcome)
          .containsExactly(Outcome.ADMITTED);
      assertThat(admin.listTopics().names().get()).doesNotContainAnyElementsOf(missing);
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  /** Most reports name the newest visible round, and one extra report is refused. */
  private static void sendBatch(TestTopics testTopics, ModelSpec spec, int batch) throws Exception {
    long round = testTopics.newestRound("m");
    for (int i = (batch - 1) * BATCH; i < batch * BATCH; i++) {
      testTopics.send(OneHotReports.report(spec, i % UNPUBLISHED == 0 ? 100_000 : round, i));
    }
    GradientReport refused =
        OneHotReports.report(spec.toBuilder().setDimension(3).build(), round, 0);
    testTopics.send(refused.toBuilder().setUserId("wrong-" + batch).build());
    testTopics.flush();
  }
}
