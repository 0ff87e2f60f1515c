package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many successive checkpoints fail, and the job tolerates it. No new weights become visible
 * meanwhile, so reports still name the last visible ones, and the job uses every report.
 */
@Tag("thorough")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RefusedCheckpointsITCase extends BrokerFixture {
  private static final int REFUSED = 20;
  private static final int BATCH = 20;
  private static final int USERS = 50;

  @TempDir private Path directory;
  private TestTopics testTopics;
  private FollowedUpdates visible;
  private AnsweringClients clients;
  private JobClient job;

  @BeforeEach
  void startJob() throws Exception {
    RefusedCheckpoints.end();
    testTopics = newTopics("refused");
    visible = new FollowedUpdates(testTopics);
    clients = new AnsweringClients(testTopics, "person", USERS, 1);
    Map<String, String> settings = new HashMap<>(testTopics.defaults());
    settings.put("checkpoint.interval", "100 ms");
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.put("journal.enabled", "true");
    settings.put("flink.restart-strategy.type", "none");
    settings.put("flink.execution.checkpointing.tolerable-failed-checkpoints", "1000000");
    job = InstrumentedTopology.submit(JobConfig.of(settings), new RefusedCheckpoints());
    LearningScenario.localSpecs().forEach(testTopics::publish);
    testTopics.flush();
  }

  @AfterEach
  void cancelJob() throws Exception {
    RefusedCheckpoints.end();
    job.cancel().get(30, TimeUnit.SECONDS);
    visible.close();
    testTopics.close();
  }

  @Test
  void failedCheckpointsDropNoReport() throws Exception {
    for (int batch = 0; batch < 5; batch++) {
      awaitTaken();
      answer();
    }
    awaitTaken();

    RefusedCheckpoints.begin();
    try (FollowedUpdates all = new FollowedUpdates(testTopics, "read_uncommitted")) {
      while (RefusedCheckpoints.count() < REFUSED) {
        answer();
        all.catchUp();
        // Read the visible updates after the uncommitted ones, so that none that became visible
        // meanwhile counts as unconfirmed.
        visible.catchUp();
        checkUnconfirmed(all);
      }
    }
    int refused = RefusedCheckpoints.count();
    assertThat(refused).isGreaterThanOrEqualTo(REFUSED);
    RefusedCheckpoints.end();
    awaitTaken();
    for (int batch = 0; batch < 3; batch++) {
      answer();
      awaitTaken();
    }

    for (ModelSpec spec : LearningScenario.localSpecs()) {
      String model = spec.getModelId();
      ModelUpdate last = visible.publication(model, 0);
      assertThat(LearningScenario.dropped(last)).as("dropped by %s", model).isZero();
      assertThat(last.getUsed() + last.getOpen()).as(model).isEqualTo(clients.sentTo(model));
      ReplayedJournal.check(testTopics, spec, (int) clients.sentTo(model));
    }
    System.out.printf("%d checkpoints refused; %d reports, 0 dropped%n", refused, clients.sent());
  }

  /** All users answer the newest visible update of each model. */
  private void answer() throws Exception {
    for (String model : LearningScenario.local()) {
      clients.answer(visible.publication(model, 0), BATCH);
    }
    testTopics.flush();
  }

  private void awaitTaken() throws Exception {
    for (String model : LearningScenario.local()) {
      visible.await(model, clients::isTaken);
    }
  }

  /** Each model has published at most one round that is not visible. */
  private void checkUnconfirmed(FollowedUpdates all) {
    for (String model : LearningScenario.local()) {
      assertThat(unconfirmed(all, model).stream().map(ModelUpdate::getRound).distinct())
          .as("invisible rounds of %s", model)
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  private List<ModelUpdate> unconfirmed(FollowedUpdates all, String model) {
    List<ModelUpdate> updates = all.of(model);
    return updates.subList(Math.min(visible.of(model).size(), updates.size()), updates.size());
  }
}
