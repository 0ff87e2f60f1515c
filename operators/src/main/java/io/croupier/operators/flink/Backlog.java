package io.croupier.operators.flink;

import java.time.Duration;

/**
 * Whether the job is behind: whether reports arrive that the brokers appended longer ago than a lag
 * that is allowed. Every partition counts for itself, since one report that is too old suffices.
 *
 * <p>The job stays behind for as long as that lag again after the last such report, so that a pause
 * between two fetches doesn't end a backlog.
 */
final class Backlog {
  private final long maxLagMs;
  private long behindUntilMs;
  private long lagMs;

  /**
   * No report has arrived.
   *
   * @param maxLag the lag that is allowed
   */
  Backlog(Duration maxLag) {
    maxLagMs = maxLag.toMillis();
  }

  /**
   * Notes reports that have arrived.
   *
   * @param appendedAtMs when the broker appended the oldest of them; 0 if that is unknown
   */
  void arrived(long appendedAtMs, long nowMs) {
    long age = appendedAtMs == 0 ? 0 : Math.max(0, nowMs - appendedAtMs);
    if (age > maxLagMs) {
      behindUntilMs = nowMs + maxLagMs;
      lagMs = age;
    } else if (!isBehind(nowMs)) {
      lagMs = age;
    }
  }

  /** Whether older reports than are allowed have arrived lately. */
  boolean isBehind(long nowMs) {
    return nowMs < behindUntilMs;
  }

  /** Age of the last report at its arrival; while the job is behind, of the last one too old. */
  long lagMs() {
    return lagMs;
  }
}
