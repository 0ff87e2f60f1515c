package io.croupier.job.restart;

import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * A barrier at which every subtask of an operator waits until all of them have noted where a topic
 * ends. A subtask that continued alone could write to the topic in a transaction that ends only
 * with a checkpoint. No checkpoint can complete until all subtasks run, so a late subtask would
 * wait for the end of that transaction forever.
 */
final class SubtaskBarrier {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long PAUSE_MS = 20;

  private SubtaskBarrier() {}

  /**
   * Waits until all subtasks have called this since the job (re)started.
   *
   * @param what name of the barrier, unique among the operators of the job
   * @throws IOException if they don't within five minutes
   */
  static void await(StreamingRuntimeContext subtask, String what) throws IOException {
    TaskInfo task = subtask.getTaskInfo();
    int parallelism = task.getNumberOfParallelSubtasks();
    if (parallelism == 1) {
      return;
    }
    int[] arrival = arrival(task.getIndexOfThisSubtask(), parallelism, task.getAttemptNumber());
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!subtask
        .getGlobalAggregateManager()
        .updateGlobalAggregate(what, arrival, new ArrivalAggregate())) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "Not all %d subtasks have noted the end of %s within %s"
                .formatted(parallelism, what, PATIENCE));
      }
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted while waiting for the other subtasks", e);
      }
    }
  }

  /**
   * The arrival of a subtask, with its attempt number. The array is no class of the job because the
   * job manager deserializes only the function, not its argument, with the class loader of the
   * job's jar.
   */
  static int[] arrival(int subtask, int parallelism, int attempt) {
    return new int[] {subtask, parallelism, attempt};
  }

  /**
   * The subtasks that have arrived; the job manager keeps this object across restarts. A subtask
   * that arrives with another attempt number than before, or with a higher one than all others,
   * belongs to a new start, which clears the set. Subtasks that still wait arrive again when they
   * next poll.
   */
  static final class ArrivedSubtasks {
    private int[] attempts = {};
    private final BitSet here = new BitSet();

    private void add(int subtask, int parallelism, int attempt) {
      if (attempts.length != parallelism) {
        attempts = new int[parallelism];
        here.clear();
      }
      boolean cameBefore = here.get(subtask);
      boolean isNewStart =
          cameBefore
              ? attempts[subtask] != attempt
              : here.stream().allMatch(other -> attempts[other] < attempt);
      if (isNewStart) {
        here.clear();
      }
      here.set(subtask);
      attempts[subtask] = attempt;
    }

    private boolean isComplete() {
      return here.cardinality() == attempts.length;
    }
  }

  /** Collects the arrivals of the subtasks. */
  static final class ArrivalAggregate
      implements AggregateFunction<int[], ArrivedSubtasks, Boolean> {
    private static final long serialVersionUID = 1;

    @Override
    public ArrivedSubtasks createAccumulator() {
      return new ArrivedSubtasks();
    }

    @Override
    public ArrivedSubtasks add(int[] arrival, ArrivedSubtasks arrived) {
      arrived.add(arrival[0], arrival[1], arrival[2]);
      return arrived;
    }

    @Override
    public Boolean getResult(ArrivedSubtasks arrived) {
      return arrived.isComplete();
    }

    @Override
    public ArrivedSubtasks merge(ArrivedSubtasks a, ArrivedSubtasks b) {
      throw new UnsupportedOperationException("Arrivals are never merged");
    }
  }
}
