package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The inputs end while a new round is held back, as {@code flink stop --drain} ends them. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DrainITCase extends JobFixture {
  private FollowedUpdates updates;

  @BeforeEach
  void follow() {
    updates = new FollowedUpdates(testTopics);
  }

  @AfterEach
  void closeUpdates() {
    updates.close();
  }

  @Test
  void theHeldRoundIsPublishedAndTheJobFinishes() throws Exception {
    Map<String, String> settings = testTopics.defaults();
    settings.put("flink.restart-strategy.type", "none");
    start(settings);
    ModelSpec spec = OneHotReports.spec("m", 1, 1);
    testTopics.publish(spec);
    testTopics.flush();
    updates.await("m", update -> true);
    answerRoundZero(spec, "first");
    assertThat(updates.await("m", update -> update.getUsed() == 1).getRound()).isEqualTo(1);
    answerRoundZero(spec, "second");
    ModelUpdate held = updates.await("m", update -> update.getOpen() == 1);
    assertThat(held.getRound()).as("no report has named round 1").isEqualTo(1);
    assertThat(held.getWaitsFor()).isEqualTo(ModelUpdate.Wait.ANSWER);

    job.stopWithSavepoint(
            true, directory.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
        .get(5, TimeUnit.MINUTES);
    job.getJobExecutionResult().get(5, TimeUnit.MINUTES);
    ModelUpdate last = updates.await("m", update -> update.getRound() == 2, Duration.ofMinutes(2));
    assertThat(last.getUsed()).isEqualTo(2);
    assertThat(last.getWeightsList()).isNotEqualTo(held.getWeightsList());
  }

  private void answerRoundZero(ModelSpec spec, String user) throws Exception {
    testTopics.send(OneHotReports.report(spec, 0, 0).toBuilder().setUserId(user).build());
    testTopics.flush();
  }
}
