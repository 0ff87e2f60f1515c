package io.croupier.bench.speed;

import java.time.Duration;

/**
 * The size of the measurements.
 *
 * @param megabytes size of the reports in a backlog
 * @param mostRecords largest number of records in a backlog
 * @param warmUps runs of each kind that aren't measured, for the JIT compiler
 * @param repetitions measured runs of each kind
 * @param workloads number of workloads per dimension
 * @param users number of users, who report in turns
 * @param interval between checkpoints
 * @param latencySeconds duration of the run at half load, in seconds
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

  /** Size of a report without its vector. */
  private static final int ENVELOPE_BYTES = 80;

  /** Reports of a backlog. */
  long records(int dimension) {
    long bytes = ENVELOPE_BYTES + (long) Integer.BYTES * dimension;
    return Math.min(mostRecords, ((long) megabytes << 20) / bytes);
  }
}
