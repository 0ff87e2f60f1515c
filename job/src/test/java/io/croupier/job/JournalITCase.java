package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that writes no journal, on a real broker. */
@Tag("ci")
class JournalITCase extends JobFixture {
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void aJobWithoutAJournalRunsWithoutItsTopic() throws Exception {
    try (Admin admin = testTopics.admin()) {
      Set<String> missing = Set.of(testTopics.topics.journal());
      admin.deleteTopics(missing).all().get();
      while (admin.listTopics().names().get().containsAll(missing)) {
        Thread.onSpinWait();
      }
      Map<String, String> settings = testTopics.settings();
      settings.put("flink.restart-strategy.type", "none");
      job = TestJobs.submit(settings);
      ModelSpec spec = OneHotReports.spec("m", 1, 1);
      testTopics.publish(spec);
      testTopics.send(OneHotReports.report(spec, 0, 0));
      testTopics.flush();

      assertThat(testTopics.awaitEvents("m", 1))
          .extracting(AccountingEvent::getOutcome)
          .containsExactly(Outcome.ADMITTED);
      assertThat(admin.listTopics().names().get()).doesNotContainAnyElementsOf(missing);
    }
  }
}
