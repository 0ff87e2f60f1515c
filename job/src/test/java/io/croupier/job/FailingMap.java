package io.croupier.job;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/**
 * Forwards records, and fails when a subtask has forwarded {@code period} of them since {@link
 * #begin()} or since it was opened later, until {@code failures} exceptions were thrown. One test
 * at a time may use it.
 */
final class FailingMap<T> extends RichMapFunction<T, T> {
  private static final long serialVersionUID = 1;

  /** Number of failures thrown in this JVM. */
  static final AtomicInteger FAILED = new AtomicInteger();

  /** Number of times that a subtask was opened again after a failure. */
  static final AtomicInteger RESTORED = new AtomicInteger();

  private static volatile boolean fails;

  private final int period;
  private final int failures;
  private transient int passed;

  FailingMap(int period, int failures) {
    this.period = period;
    this.failures = failures;
  }

  static void reset() {
    fails = false;
    FAILED.set(0);
    RESTORED.set(0);
  }

  /** Failures begin now. */
  static void begin() {
    fails = true;
  }

  @Override
  public void open(OpenContext context) {
    if (getRuntimeContext().getTaskInfo().getAttemptNumber() > 0) {
      RESTORED.incrementAndGet();
    }
  }

  @Override
  public T map(T value) {
    passed += fails ? 1 : 0;
    if (passed >= period && FAILED.get() < failures) {
      FAILED.incrementAndGet();
      throw new IllegalStateException("An intentional failure");
    }
    return value;
  }
}
