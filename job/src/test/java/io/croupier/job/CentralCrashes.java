package io.croupier.job;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * Forwards records, and crashes the job at critical moments: at a record, during a checkpoint whose
 * outputs are already on the broker, or when a checkpoint is complete and its outputs are being
 * committed. It crashes at most once per attempt. All instances of this JVM share one plan, so one
 * test at a time may use it.
 */
final class CentralCrashes<T> extends RichMapFunction<T, T>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1;
  private static final int MOST_RECORDS = 40;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** When a crash happens. */
  enum Moment {
    RECORD,
    SNAPSHOT,
    COMMIT
  }

  /** Number of updates on the broker, committed or not. */
  static final AtomicLong WRITTEN = new AtomicLong();

  private static final Map<Moment, Integer> HAPPENED = new EnumMap<>(Moment.class);

  private static Random random = new Random(0);
  private static int left;
  private static Moment next = Moment.RECORD;
  private static int records;
  private static int crashedAttempt;

  /** Plans crashes that cycle through the kinds, at random records, in random subtasks. */
  static synchronized void plan(int crashes, long seed) {
    random = new Random(seed);
    left = crashes;
    crashedAttempt = -1;
    WRITTEN.set(0);
    HAPPENED.clear();
    next();
  }

  /** Number of planned crashes that have not happened yet. */
  static synchronized int left() {
    return left;
  }

  /** Number of crashes so far, by kind. */
  static synchronized Map<Moment, Integer> happened() {
    return Map.copyOf(HAPPENED);
  }

  private static synchronized void next() {
    next = Moment.values()[left % 3];
    records = 1 + random.nextInt(MOST_RECORDS);
  }

  /**
   * Whether the next planned crash is due now; a crash during a checkpoint also waits for some
   * records.
   */
  private static synchronized boolean isDue(Moment moment, int attempt) {
    if (left == 0 || attempt <= crashedAttempt) {
      return false;
    }
    if (moment == Moment.RECORD) {
      records--;
    }
    return next == moment && records <= 0;
  }

  private static synchronized void crash(Moment moment, int attempt) {
    if (!isDue(moment, attempt)) {
      return;
    }
    crashedAttempt = attempt;
    left--;
    HAPPENED.merge(moment, 1, Integer::sum);
    next();
    throw new IllegalStateException("An intentional crash, at " + moment);
  }

  private int attempt() {
    return getRuntimeContext().getTaskInfo().getAttemptNumber();
  }

  @Override
  public T map(T value) {
    if (isDue(Moment.RECORD, attempt())) {
      crash(Moment.RECORD, attempt());
    }
    return value;
  }

  /**
   * The barrier has been forwarded: the learner publishes, and the sink writes, while this waits.
   */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws InterruptedException {
    if (!isDue(Moment.SNAPSHOT, attempt())) {
      return;
    }
    long written = WRITTEN.get();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (WRITTEN.get() == written) {
      if (System.nanoTime() > deadline || !isDue(Moment.SNAPSHOT, attempt())) {
        return;
      }
      Thread.sleep(1);
    }
    crash(Moment.SNAPSHOT, attempt());
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    crash(Moment.COMMIT, attempt());
  }

  @Override
  public void initializeState(FunctionInitializationContext context) {
    // This function has no state.
  }
}
