package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

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
      all.put("flink." + StateRecoveryOptions.SAVEPOINT_PATH.key(), savepoint);
    }
    client =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2), JobConfig.of(all), start);
  }

  /** Stops it with a savepoint. */
  void stop() throws Exception {
    savepoint =
        client
            .stopWithSavepoint(
                false,
                directory.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get(1, TimeUnit.MINUTES);
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
    client.cancel().get();
    savepoint = "";
  }
}
