package io.croupier.job;

import io.croupier.operators.flink.restart.LedgerStart;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests each of which has topics of its own, and a job on them if it starts one. */
public abstract class JobFixture extends BrokerFixture {
  /** The setting of the path of the state from which a job starts. */
  static final String STATE = "flink.execution.state-recovery.path";

  @TempDir protected Path directory;
  protected TestTopics testTopics;
  protected JobClient job;

  @BeforeEach
  void openTopics() throws Exception {
    testTopics = newTopics(getClass().getSimpleName());
  }

  @AfterEach
  void closeTopics() throws Exception {
    if (job != null) {
      TestJobs.cancel(job);
    }
    testTopics.close();
  }

  /** Starts a job whose checkpoints are in the test's directory. */
  protected final void start(Map<String, String> settings) throws Exception {
    start(settings, LedgerStart.REQUIRE_STATE);
  }

  protected final void start(Map<String, String> settings, LedgerStart start) throws Exception {
    job = TestJobs.submit(withCheckpoints(settings), start);
  }

  protected final Map<String, String> withCheckpoints(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    return all;
  }
}
