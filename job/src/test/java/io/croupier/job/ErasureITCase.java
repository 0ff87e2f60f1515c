package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person's account is erased on a real broker while the job runs, stops and starts again. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ErasureITCase extends JobFixture {
  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);
  private final List<AccountingEvent> seen = new ArrayList<>();

  @Tag("ci")
  @Test
  void anErasedAccountKeepsWhatWasSpentThroughRestartAndRebuild() throws Exception {
    testTopics.publish(spec);
    RestartedJob job = new RestartedJob(directory);
    job.start(settings(), LedgerStart.REQUIRE_STATE);
    judge("a", 0);
    assertThat(judge("a", 1).getModelTotals().getEpsilon()).isEqualTo(2);
    judge("b", 0);

    testTopics.send(testTopics.topics.erasures(), "a", "no".getBytes(UTF_8));
    testTopics.send(testTopics.topics.erasures(), "a", null);
    AccountingEvent erased = next();
    assertThat(erased.getOutcome()).isEqualTo(Outcome.ERASED);
    assertThat(erased.getUserId()).isEqualTo("a");
    assertThat(erased.getUserTotals().getEpsilon()).isEqualTo(2);
    assertThat(testTopics.awaitRecords(testTopics.topics.deadLetters(), 1)).hasSize(1);

    // The devices are forgotten, so number 0 is new.
    AccountingEvent later = judge("a", 0);
    assertThat(later.getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(later.getUserTotals().getEpsilon()).isEqualTo(3);
    assertThat(later.getModelTotals().getEpsilon()).isEqualTo(3);

    job.stop();
    job.start(settings(), LedgerStart.REQUIRE_STATE);
    AccountingEvent restored = judge("a", 1);
    assertThat(restored.getUserTotals().getEpsilon()).isEqualTo(4);
    assertThat(judge("b", 1).getModelTotals().getEpsilon()).isEqualTo(2);
    job.cancel();

    job.start(settings(), LedgerStart.REBUILD);
    AccountingEvent refused = judge("a", 2);
    assertThat(refused.getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
    assertThat(refused.getUserTotals().getEpsilon()).isEqualTo(5);
    assertThat(refused.getModelTotals().getEpsilon()).isEqualTo(5);
    AccountingEvent other = judge("b", 2);
    assertThat(other.getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(other.getModelTotals().getEpsilon()).isEqualTo(3);
    job.cancel();
  }

  /** Erasures that their topic deletes before a start would be lost without a trace. */
  @Tag("ci")
  @Test
  void skippedOffsetsOfErasuresCount() throws Exception {
    assertThat(testTopics.outputs("ours").sources())
        .extracting(SourceRange::topic)
        .containsExactlyInAnyOrder(
            testTopics.topics.gradients(),
            testTopics.topics.rawGradients(),
            testTopics.topics.erasures());
  }

  /** Sends a report of epsilon 1 and returns its event. */
  private AccountingEvent judge(String user, long sequence) throws Exception {
    testTopics.send(OneHotReports.report(spec, 0, 0, user, sequence, 1));
    AccountingEvent event = next();
    assertThat(event.getUserId()).isEqualTo(user);
    assertThat(event.getSequence()).isEqualTo(sequence);
    return event;
  }

  /** Returns the only event that was added since the last call. */
  private AccountingEvent next() throws Exception {
    seen.add(testTopics.awaitNext(seen));
    return seen.get(seen.size() - 1);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = testTopics.settings();
    settings.put("limits.user.epsilon", "4");
    return settings;
  }
}
