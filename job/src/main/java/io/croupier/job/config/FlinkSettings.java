package io.croupier.job.config;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;

/**
 * How Flink runs the job.
 *
 * @param options Flink's own options
 * @param parallelism subtasks of each operator; 0 for Flink's own setting
 * @param maxParallelism number of key groups, at least {@code parallelism} and at least 1; 0 for
 *     that of the restored state, or {@link JobConfig#NEW_MAX_PARALLELISM} without state
 * @param checkpointInterval time between checkpoints, positive
 * @param checkpointDirectory a URI, or empty
 */
public record FlinkSettings(
    Map<String, String> options,
    int parallelism,
    int maxParallelism,
    Duration checkpointInterval,
    String checkpointDirectory)
    implements Serializable {
  private static final long serialVersionUID = 1;

  /** Without the options, which may contain passwords. */
  @Override
  public String toString() {
    return "FlinkSettings";
  }
}
