package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A limit with a period of 30 days, on a real broker, while the job stops and starts again. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PeriodITCase extends BrokerFixture {
  private static final Instant DAY_1 = Instant.parse("2026-03-01T23:59:59.999Z");

  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private int events;

  @Test
  void aUserRefusedOnDay1IsAdmittedOnDay31() throws Exception {
    try (TestTopics testTopics = newTopics("period")) {
      testTopics.publish(spec);

      RestartedJob job = new RestartedJob(directory);
      job.start(settings(testTopics, 1), LedgerStart.REQUIRE_STATE);
      assertThat(judge(testTopics, "a", 1).getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(judge(testTopics, "b", 1).getOutcome()).isEqualTo(Outcome.ADMITTED);
      AccountingEvent refused = judge(testTopics, "a", 2);
      assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      assertThat(refused.getReason())
          .contains("limits.user.epsilon is 1.0 in 30 days: 1 was spent");

      // A refused report has left its device, so it is charged, too.
      job.stop();
      job.start(settings(testTopics, 30), LedgerStart.REQUIRE_STATE);
      assertThat(judge(testTopics, "b", 2).getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);

      job.stop();
      job.start(settings(testTopics, 31), LedgerStart.REQUIRE_STATE);
      AccountingEvent admitted = judge(testTopics, "a", 3);
      assertThat(admitted.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(admitted.getUserTotals().getEpsilon()).isEqualTo(3);
      assertThat(admitted.getUserWindow().getTotals().getEpsilon()).isEqualTo(1);
      assertThat(admitted.getLeftUser().getEpsilon()).isZero();
      assertThat(judge(testTopics, "b", 3).getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      job.cancel();

      // Without state: the window of day 60 has the charges of day 31 on, as a restart would.
      job.start(settings(testTopics, 60), LedgerStart.REBUILD);
      AccountingEvent rebuilt = judge(testTopics, "a", 4);
      assertThat(rebuilt.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      assertThat(rebuilt.getUserTotals().getEpsilon()).isEqualTo(4);
      assertThat(rebuilt.getUserWindow().getTotals().getEpsilon()).isEqualTo(2);
      AccountingEvent other = judge(testTopics, "b", 4);
      assertThat(other.getUserTotals().getEpsilon()).isEqualTo(4);
      assertThat(other.getUserWindow().getTotals().getEpsilon()).isEqualTo(2);
      job.stop();
      job.start(settings(testTopics, 89), LedgerStart.REQUIRE_STATE);
      assertThat(judge(testTopics, "a", 5).getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      job.cancel();
    }
  }

  /** Sends a report of epsilon 1 and returns its event. */
  private AccountingEvent judge(TestTopics testTopics, String user, long sequence)
      throws Exception {
    testTopics.send(
        OneHotReports.report(spec, 0, 0).toBuilder()
            .setUserId(user)
            .setSequence(sequence)
            .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1))
            .build());
    testTopics.flush();
    List<AccountingEvent> all = testTopics.awaitEvents("m", ++events);
    assertThat(all).hasSize(events);
    return all.stream()
        .filter(event -> event.getUserId().equals(user) && event.getSequence() == sequence)
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> settings(TestTopics testTopics, int day) {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.putAll(FixedTime.settings(DAY_1.plus(Duration.ofDays(day - 1))));
    settings.put("limits.user.epsilon", "1");
    settings.put("limits.user.per", "30d");
    return settings;
  }
}
