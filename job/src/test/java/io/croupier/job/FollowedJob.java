package io.croupier.job;

import io.croupier.job.config.JobConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The set-up of tests that follow the updates of one job, which runs until the end of the test. */
abstract class FollowedJob extends BrokerFixture {
  private final String prefix;
  private final String checkpointInterval;
  @TempDir private Path directory;
  private JobClient job;
  TestTopics testTopics;
  FollowedUpdates updates;

  /**
   * Sets the job up.
   *
   * @param prefix of the topics
   * @param checkpointInterval as the setting checkpoint.interval has it
   */
  FollowedJob(String prefix, String checkpointInterval) {
    this.prefix = prefix;
    this.checkpointInterval = checkpointInterval;
  }

  @BeforeEach
  void startJob() throws Exception {
    testTopics = newTopics(prefix);
    updates = new FollowedUpdates(testTopics);
    Map<String, String> settings = new HashMap<>(testTopics.defaults());
    settings.put("checkpoint.interval", checkpointInterval);
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.put("flink.restart-strategy.type", "none");
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(settings));
  }

  @AfterEach
  void cancelJob() throws Exception {
    job.cancel().get(30, TimeUnit.SECONDS);
    updates.close();
    testTopics.close();
  }
}
