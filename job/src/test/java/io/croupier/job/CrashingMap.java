package io.croupier.job;

import java.util.Random;
import org.apache.flink.api.common.functions.RichMapFunction;

/**
 * Forwards records, and crashes the job at random ones, at most once per attempt, so that every
 * crash hits a running job. All instances of this JVM share one plan, so one test at a time may use
 * it.
 */
final class CrashingMap<T> extends RichMapFunction<T, T> {
  private static final long serialVersionUID = 1;
  private static final int MOST_RECORDS = 150;

  private static Random random = new Random(0);
  private static int left;
  private static int records;
  private static int crashedAttempt;

  /**
   * Plans crashes, each after 1 to 150 records of an attempt that started after the previous crash.
   */
  static synchronized void plan(int crashes, long seed) {
    random = new Random(seed);
    left = crashes;
    crashedAttempt = -1;
    next();
  }

  /** Number of planned crashes that have not happened yet. */
  static synchronized int left() {
    return left;
  }

  private static synchronized boolean crashes(int attempt) {
    if (left == 0 || attempt <= crashedAttempt || --records > 0) {
      return false;
    }
    crashedAttempt = attempt;
    left--;
    next();
    return true;
  }

  private static synchronized void next() {
    records = 1 + random.nextInt(MOST_RECORDS);
  }

  @Override
  public T map(T value) {
    if (crashes(getRuntimeContext().getTaskInfo().getAttemptNumber())) {
      throw new IllegalStateException("An intentional crash");
    }
    return value;
  }
}
