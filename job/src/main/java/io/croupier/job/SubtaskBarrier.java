package io.croupier.job;

import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * Lets no subtask of an operator go on before all of them have come: by then each has noted where a
 * topic ends. One that went on alone could write to the topic in a transaction that ends only with
 * a checkpoint, which there is not before all go on: whoever came later would wait for it in vain.
 */
final class SubtaskBarrier {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long PAUSE_MS = 20;

  private SubtaskBarrier() {}

  /**
   * Waits until all subtasks have called this since the job (re)started.
   *
   * @param what what for, which no other operator of the job uses
   * @throws IOException if they don't come
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
   * That a subtask has come, with the number of times that it was started. Not a class of the job:
   * of what goes to the master only the function is read by the loader that knows the job's jar.
   */
  static int[] arrival(int subtask, int parallelism, int attempt) {
    return new int[] {subtask, parallelism, attempt};
  }

  /**
   * Who has come: kept by the job's master from one start to the next. Who comes with another
   * attempt than before, or with a later one than anybody, belongs to a new start, at which all
   * have to come again; those who have and wait still, do so by asking.
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
      throw new UnsupportedOperationException("Nobody comes twice");
    }
  }
}
