package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.restart.KafkaVisibleOutputs;
import io.croupier.job.restart.OutputEnds;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A person's account is erased on a real broker while the job runs, stops and starts again. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ErasureITCase extends BrokerFixture {
  @TempDir Path directory;
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final List<AccountingEvent> seen = new ArrayList<>();

  @Tag("ci")
  @Test
  void anErasedAccountKeepsWhatWasSpentThroughRestartAndRebuild() throws Exception {
    try (TestTopics testTopics = newTopics("erasure")) {
      testTopics.publish(spec);
      RestartedJob job = new RestartedJob(directory);
      job.start(settings(testTopics), LedgerStart.REQUIRE_STATE);
      judge(testTopics, "a", 0);
      assertThat(judge(testTopics, "a", 1).getModelTotals().getEpsilon()).isEqualTo(2);
      judge(testTopics, "b", 0);

      testTopics.send(testTopics.topics.erasures(), "a".getBytes(UTF_8), "no".getBytes(UTF_8));
      testTopics.send(testTopics.topics.erasures(), "a".getBytes(UTF_8), null);
      AccountingEvent erased = next(testTopics);
      assertThat(erased.getOutcome()).isEqualTo(Outcome.ERASED);
      assertThat(erased.getUserId()).isEqualTo("a");
      assertThat(erased.getUserTotals().getEpsilon()).isEqualTo(2);
      assertThat(testTopics.awaitRecords(testTopics.topics.deadLetters(), 1)).hasSize(1);

      // The devices are forgotten, so number 0 is new.
      AccountingEvent later = judge(testTopics, "a", 0);
      assertThat(later.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(later.getUserTotals().getEpsilon()).isEqualTo(3);
      assertThat(later.getModelTotals().getEpsilon()).isEqualTo(3);

      job.stop();
      job.start(settings(testTopics), LedgerStart.REQUIRE_STATE);
      AccountingEvent restored = judge(testTopics, "a", 1);
      assertThat(restored.getUserTotals().getEpsilon()).isEqualTo(4);
      assertThat(judge(testTopics, "b", 1).getModelTotals().getEpsilon()).isEqualTo(2);
      job.cancel();

      job.start(settings(testTopics), LedgerStart.REBUILD);
      AccountingEvent refused = judge(testTopics, "a", 2);
      assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
      assertThat(refused.getUserTotals().getEpsilon()).isEqualTo(5);
      assertThat(refused.getModelTotals().getEpsilon()).isEqualTo(5);
      AccountingEvent other = judge(testTopics, "b", 2);
      assertThat(other.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(other.getModelTotals().getEpsilon()).isEqualTo(3);
      job.cancel();
    }
  }

  /** Erasures that their topic deletes before a start would be lost without a trace. */
  @Tag("ci")
  @Test
  void skippedOffsetsOfErasuresCount() throws Exception {
    try (TestTopics testTopics = newTopics("sources")) {
      KafkaVisibleOutputs outputs =
          new KafkaVisibleOutputs(
              testTopics.kafka(),
              testTopics.topics,
              OutputEnds.NONE,
              Set.of("ours"),
              testTopics.inputs());
      assertThat(outputs.sources())
          .extracting(SourceRange::topic)
          .containsExactlyInAnyOrder(
              testTopics.topics.gradients(),
              testTopics.topics.rawGradients(),
              testTopics.topics.erasures());
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
    AccountingEvent event = next(testTopics);
    assertThat(event.getUserId()).isEqualTo(user);
    assertThat(event.getSequence()).isEqualTo(sequence);
    return event;
  }

  /** Returns the only event that was added since the last call. */
  private AccountingEvent next(TestTopics testTopics) throws Exception {
    testTopics.flush();
    testTopics.awaitRecords(testTopics.topics.accounting(), seen.size() + 1);
    List<AccountingEvent> events = testTopics.events();
    seen.forEach(events::remove);
    assertThat(events).hasSize(1);
    seen.addAll(events);
    return events.get(0);
  }

  private static Map<String, String> settings(TestTopics testTopics) {
    Map<String, String> settings = new HashMap<>(testTopics.settings());
    settings.put("limits.user.epsilon", "4");
    return settings;
  }
}
