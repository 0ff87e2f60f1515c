package io.croupier.operators.flink.learner;

import java.time.Duration;

/**
 * Detects whether the job is behind: whether reports arrive that the brokers appended longer ago
 * than the allowed lag. A single report that is too old suffices, from any partition.
 *
 * <p>After the last such report, the job counts as behind for as long as the allowed lag, so that a
 * pause between two fetches doesn't end a backlog.
 */
final class Backlog {
  private final long maxLagMs;
  private long behindUntilMs;
  private long lagMs;

  /**
   * Creates a backlog to which no report has arrived.
   *
   * @param maxLag the allowed lag
   */
  Backlog(Duration maxLag) {
    maxLagMs = maxLag.toMillis();
  }

  /**
   * Records the arrival of reports.
   *
   * @param appendedAtMs when the broker appended the oldest of them; 0 if that is unknown
   * @return the age of the oldest, in milliseconds; 0 if it is unknown
   */
  long arrived(long appendedAtMs, long nowMs) {
    long age = appendedAtMs == 0 ? 0 : Math.max(0, nowMs - appendedAtMs);
    if (age > maxLagMs) {
      behindUntilMs = nowMs + maxLagMs;
      lagMs = age;
    } else if (!isBehind(nowMs)) {
      lagMs = age;
    }
    return age;
  }

  /** Returns whether a report older than the allowed lag has arrived within the last such lag. */
  boolean isBehind(long nowMs) {
    return nowMs < behindUntilMs;
  }

  /**
   * Returns the age of the last report at its arrival; while the job is behind, that of the last
   * report that was too old. In milliseconds.
   */
  long lagMs() {
    return lagMs;
  }
}
