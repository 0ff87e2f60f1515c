package io.croupier.job.restart;

import java.io.IOException;
import java.time.Duration;
import java.util.AbstractMap.SimpleEntry;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * A barrier at which every subtask of an operator waits for all others. At the first one, all have
 * noted where a topic ends. A subtask that continued alone could write to the topic in a
 * transaction that ends only with a checkpoint. No checkpoint can complete until all subtasks run,
 * so a late subtask would wait for the end of that transaction forever. At the second one, all have
 * read their share of the topic, and learn what all of them have read.
 *
 * <p>The subtasks meet at the job manager, which they ask again and again, at growing intervals:
 * the first ones are short, so that a quick start stays quick, and the last ones are long, so that
 * many waiting subtasks don't occupy the job manager.
 */
final class SubtaskBarrier {
  /** How long subtasks may need until each has noted the end of a topic. */
  static final Duration NOTED = Duration.ofMinutes(5);

  /** How long subtasks may need until each has read its share. */
  static final Duration READ = Duration.ofMinutes(30);

  private static final long FIRST_PAUSE_MS = 10;
  private static final long LONGEST_PAUSE_MS = 500;

  private final GlobalAggregateManager jobManager;
  private final int subtask;
  private final int parallelism;
  private final int attempt;
  private final LongSupplier clock;
  private final Pause pause;

  /** Waits for a time in milliseconds. */
  @FunctionalInterface
  interface Pause {
    void ofMs(long ms) throws InterruptedException;
  }

  /** Creates the barriers of a subtask. */
  SubtaskBarrier(StreamingRuntimeContext context) {
    this(
        context.getGlobalAggregateManager(),
        context.getTaskInfo(),
        System::nanoTime,
        Thread::sleep);
  }

  /**
   * The same, with another clock.
   *
   * @param clock time in nanoseconds
   */
  SubtaskBarrier(
      GlobalAggregateManager jobManager, TaskInfo task, LongSupplier clock, Pause pause) {
    this.jobManager = jobManager;
    subtask = task.getIndexOfThisSubtask();
    parallelism = task.getNumberOfParallelSubtasks();
    attempt = task.getAttemptNumber();
    this.clock = clock;
    this.pause = pause;
  }

  /**
   * Waits until all subtasks have called this since the job (re)started.
   *
   * @param what name of the barrier, unique among the operators of the job
   * @throws IOException if they don't within {@link #NOTED}
   */
  void await(String what) throws IOException {
    highest(what, Map.of(), NOTED);
  }

  /**
   * Waits until all subtasks have called this since the job (re)started, and combines what they
   * have found: under each name, the array whose first element is the highest.
   *
   * @param what name of the barrier, unique among the operators of the job
   * @param found arrays of at least one element; all subtasks' names together take at most a few
   *     megabytes
   * @throws IOException if they don't call it in time
   */
  Map<String, long[]> highest(String what, Map<String, long[]> found, Duration patience)
      throws IOException {
    if (parallelism == 1) {
      return found;
    }
    SimpleEntry<int[], Map<String, long[]>> arrival = arrival(subtask, parallelism, attempt, found);
    long deadline = clock.getAsLong() + patience.toNanos();
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      SimpleEntry<Boolean, Map<String, long[]>> all =
          jobManager.updateGlobalAggregate(what, arrival, new ArrivalAggregate());
      if (all.getKey()) {
        return all.getValue();
      }
      if (clock.getAsLong() - deadline > 0) {
        throw new IOException(
            "Not all %d subtasks have reached the barrier '%s' within %s"
                .formatted(parallelism, what, patience));
      }
      try {
        pause.ofMs(pauseMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted while waiting for the other subtasks", e);
      }
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    }
  }

  /**
   * The arrival of a subtask: its index, the parallelism and its attempt number, and what it has
   * found. None of these is a class of the job because the job manager deserializes only the
   * function, not its argument, with the class loader of the job's jar.
   */
  static SimpleEntry<int[], Map<String, long[]>> arrival(
      int subtask, int parallelism, int attempt, Map<String, long[]> found) {
    return new SimpleEntry<>(new int[] {subtask, parallelism, attempt}, new HashMap<>(found));
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
    private final Map<String, long[]> highest = new HashMap<>();

    private void add(int subtask, int parallelism, int attempt, Map<String, long[]> found) {
      if (attempts.length != parallelism) {
        attempts = new int[parallelism];
        clear();
      }
      boolean cameBefore = here.get(subtask);
      boolean isNewStart =
          cameBefore
              ? attempts[subtask] != attempt
              : here.stream().allMatch(other -> attempts[other] < attempt);
      if (isNewStart) {
        clear();
      }
      here.set(subtask);
      attempts[subtask] = attempt;
      found.forEach((name, value) -> highest.merge(name, value, (a, b) -> b[0] > a[0] ? b : a));
    }

    private void clear() {
      here.clear();
      highest.clear();
    }

    private boolean isComplete() {
      return here.cardinality() == attempts.length;
    }
  }

  /** Collects the arrivals of the subtasks. */
  static final class ArrivalAggregate
      implements AggregateFunction<
          SimpleEntry<int[], Map<String, long[]>>,
          ArrivedSubtasks,
          SimpleEntry<Boolean, Map<String, long[]>>> {
    private static final long serialVersionUID = 1;

    @Override
    public ArrivedSubtasks createAccumulator() {
      return new ArrivedSubtasks();
    }

    @Override
    public ArrivedSubtasks add(
        SimpleEntry<int[], Map<String, long[]>> arrival, ArrivedSubtasks arrived) {
      int[] who = arrival.getKey();
      arrived.add(who[0], who[1], who[2], arrival.getValue());
      return arrived;
    }

    @Override
    public SimpleEntry<Boolean, Map<String, long[]>> getResult(ArrivedSubtasks arrived) {
      boolean complete = arrived.isComplete();
      return new SimpleEntry<>(
          complete, complete ? new HashMap<>(arrived.highest) : new HashMap<>());
    }

    @Override
    public ArrivedSubtasks merge(ArrivedSubtasks a, ArrivedSubtasks b) {
      throw new UnsupportedOperationException("Arrivals are never merged");
    }
  }
}
