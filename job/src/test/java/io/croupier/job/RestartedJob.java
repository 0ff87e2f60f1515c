package io.croupier.job;

import io.croupier.operators.flink.restart.LedgerStart;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;

/** A job in this JVM that is stopped and started again, with or without its state. */
final class RestartedJob {
  private final Path directory;
  private JobClient client;
  private String savepoint = "";

  /**
   * Creates a job that was not started yet.
   *
   * @param directory for checkpoints and savepoints
   */
  RestartedJob(Path directory) {
    this.directory = directory;
  }

  /** Starts it from the savepoint of the last stop, if there was one. */
  void start(Map<String, String> settings, LedgerStart start) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    all.put("checkpoint.interval", "50 ms");
    if (!savepoint.isEmpty()) {
      all.put(JobFixture.STATE, savepoint);
    }
    client = TestJobs.submit(all, start);
  }

  /** Stops it with a savepoint. */
  void stop() throws Exception {
    savepoint = TestJobs.stop(client, directory);
  }

  /** The path of the last savepoint; empty if its state is lost. */
  String savepoint() {
    return savepoint;
  }

  /** Waits until it fails. */
  void awaitFailure() throws Exception {
    client.getJobExecutionResult().get(1, TimeUnit.MINUTES);
  }

  /** Ends it, and loses its state. */
  void cancel() throws Exception {
    TestJobs.cancel(client);
    savepoint = "";
  }
}
