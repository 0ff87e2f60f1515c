package io.croupier.operators.flink;

import java.time.Duration;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * How far behind the newest reports the job is, from watermarks of the brokers' append times. Until
 * the first watermark, or the first sign that the topics have nothing to read, the job counts as
 * behind: it has just started, and what waits on the topics is unknown.
 */
final class Backlog {
  private final long maxLagMs;
  private long watermarkMs = Watermark.UNINITIALIZED.getTimestamp();
  private boolean idle;

  /** Unknown, with {@code maxLag} as the lag from which on the job is behind. */
  Backlog(Duration maxLag) {
    maxLagMs = maxLag.toMillis();
  }

  /** Notes that all reports that the brokers appended up to this time have arrived. */
  void reached(Watermark watermark) {
    watermarkMs = watermark.getTimestamp();
  }

  /** Notes whether all partitions are idle: there is nothing to read. */
  void became(WatermarkStatus status) {
    idle = status.isIdle();
  }

  /** Whether reports wait for longer than the lag that is allowed. */
  boolean isBehind(long nowMs) {
    return !idle && (isUnknown() || nowMs - watermarkMs > maxLagMs);
  }

  /** How long the oldest report that has not arrived may have waited; -1 if that is unknown. */
  long lagMs(long nowMs) {
    if (idle) {
      return 0;
    }
    return isUnknown() ? -1 : Math.max(0, nowMs - watermarkMs);
  }

  private boolean isUnknown() {
    return watermarkMs == Watermark.UNINITIALIZED.getTimestamp();
  }
}
