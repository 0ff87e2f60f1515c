package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Jobs in this JVM, each on a cluster of its own with two slots. */
public final class TestJobs {
  private static final int PATIENCE_SECONDS = 60;

  private TestJobs() {}

  /** Starts a job without state, or with that at the path that the settings name. */
  public static JobClient submit(Map<String, String> settings) throws Exception {
    return submit(settings, LedgerStart.REQUIRE_STATE);
  }

  static JobClient submit(Map<String, String> settings, LedgerStart start) throws Exception {
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(2), JobConfig.of(settings), start);
  }

  /** Stops a job with a savepoint below {@code directory}, and returns the savepoint's path. */
  static String stop(JobClient job, Path directory) throws Exception {
    String savepoints = directory.resolve("savepoints").toUri().toString();
    String savepoint =
        job.stopWithSavepoint(false, savepoints, SavepointFormatType.CANONICAL)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    job.getJobExecutionResult().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return savepoint;
  }

  /** Cancels a job unless it has ended, and waits for its end. */
  public static void cancel(JobClient job) throws Exception {
    if (!job.getJobExecutionResult().isDone()) {
      job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      job.getJobExecutionResult()
          .handle((result, failure) -> "")
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
