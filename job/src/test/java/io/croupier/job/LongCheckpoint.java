package io.croupier.job;

import io.croupier.operators.flink.RawRecord;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * Forwards records, and delays the completion of one checkpoint whose outputs the sink has
 * pre-committed; when that checkpoint completes, the job crashes. All instances of this JVM share
 * one plan, so one test at a time may use it.
 */
final class LongCheckpoint extends RichMapFunction<RawRecord, RawRecord>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1;
  private static final long PATIENCE_S = 60;

  private static CountDownLatch end = new CountDownLatch(0);
  private static int reportsBefore = Integer.MAX_VALUE;
  private static boolean crashes;

  /** After {@code reports} more reports, the next checkpoint waits for {@link #end()}. */
  static synchronized void begin(int reports) {
    reportsBefore = reports;
    end = new CountDownLatch(1);
  }

  /** Lets the checkpoint complete. */
  static synchronized void end() {
    reportsBefore = Integer.MAX_VALUE;
    crashes = true;
    end.countDown();
  }

  private static synchronized CountDownLatch latch() {
    return reportsBefore <= 0 ? end : new CountDownLatch(0);
  }

  private static synchronized void count() {
    reportsBefore--;
  }

  private static synchronized void crashOnce() {
    if (crashes) {
      crashes = false;
      throw new IllegalStateException("An intentional crash");
    }
  }

  @Override
  public RawRecord map(RawRecord record) {
    count();
    return record;
  }

  /** The barrier has been forwarded. */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws InterruptedException {
    if (!latch().await(PATIENCE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("The test didn't end the checkpoint in time");
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    crashOnce();
  }

  @Override
  public void initializeState(FunctionInitializationContext context) {
    // This function has no state.
  }
}
