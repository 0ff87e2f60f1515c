package io.croupier.job;

import io.croupier.operators.report.Report;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * Passes reports on, and keeps one checkpoint from being complete, while the sink has pre-committed
 * its outputs; when it is complete at last, the job crashes. All instances of this JVM share one
 * plan, so one test at a time may use it.
 */
final class LongCheckpoint extends RichMapFunction<Report, Report>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1;
  private static final long PATIENCE_S = 60;

  private static CountDownLatch end = new CountDownLatch(0);
  private static int reportsBefore = Integer.MAX_VALUE;
  private static boolean crashes;

  /** The first checkpoint behind so many reports more waits for {@link #end()}. */
  static synchronized void begin(int reports) {
    reportsBefore = reports;
    end = new CountDownLatch(1);
  }

  /** Lets the checkpoint be complete. */
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
      throw new IllegalStateException("A crash on purpose");
    }
  }

  @Override
  public Report map(Report report) {
    count();
    return report;
  }

  /** The barrier is on its way. */
  @Override
  public void snapshotState(FunctionSnapshotContext context) throws InterruptedException {
    if (!latch().await(PATIENCE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("The checkpoint was never to end");
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    crashOnce();
  }

  @Override
  public void initializeState(FunctionInitializationContext context) {
    // It has none.
  }
}
