package io.croupier.bench.speed;

import java.time.Duration;

/**
 * How much is run.
 *
 * @param megabytes of reports in a backlog
 * @param mostRecords in a backlog
 * @param warmUps runs of each kind that aren't measured: the compiler works in them
 * @param repetitions runs of each kind that are
 * @param workloads of those of a dimension, how many
 * @param users who take turns to report
 * @param interval between checkpoints
 * @param latencySeconds how long the job runs at half load
 */
record BenchmarkScale(
    int megabytes,
    long mostRecords,
    int warmUps,
    int repetitions,
    int workloads,
    int users,
    Duration interval,
    int latencySeconds) {

  /** What a report is longer than its vector. */
  private static final int ENVELOPE_BYTES = 80;

  /** Reports of a backlog. */
  long records(int dimension) {
    long bytes = ENVELOPE_BYTES + (long) Integer.BYTES * dimension;
    return Math.min(mostRecords, ((long) megabytes << 20) / bytes);
  }
}
