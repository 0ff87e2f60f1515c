package io.croupier.simulation;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.util.MockStreamTaskBuilder;

/**
 * Flink's tasks of one world, by parallelism and index: all operators that have these share one. A
 * task of Flink has a finalizer, so the collector copies all that it reaches once more when it is
 * garbage; these reach no operator.
 */
final class SharedTasks {
  /** None is used, and one of a world's own would start two threads. */
  private static final SharedDisks DISKS = new SharedDisks();

  private static final class SharedDisks extends IOManagerAsync {
    @Override
    public void close() {
      // Others use it.
    }
  }

  /** Gives each operator metrics of its own. */
  private static final class Metrics extends UnregisteredMetricGroups.UnregisteredTaskMetricGroup {
    private InterceptingOperatorMetricGroup last;

    @Override
    public InternalOperatorMetricGroup getOrAddOperator(
        OperatorID id, String name, Map<String, String> variables) {
      last = new InterceptingOperatorMetricGroup();
      return last;
    }
  }

  /** A task, and what its operators have of it. */
  static final class SharedTask {
    final MockEnvironment environment;
    final StreamTask<?, ?> task;
    final CheckpointStorageAccess storage;
    private final Metrics metrics = new Metrics();

    /** Flink's tests still use the builder, too. */
    @SuppressWarnings("deprecation")
    private SharedTask(int parallelism, int index) throws Exception {
      environment =
          new MockEnvironmentBuilder()
              .setTaskName("task")
              .setManagedMemorySize(1 << 15)
              .setBufferSize(1024)
              .setMaxParallelism(OperatorTask.KEY_GROUPS)
              .setParallelism(parallelism)
              .setSubtaskIndex(index)
              .setIOManager(DISKS)
              .setMetricGroup(metrics)
              .build();
      environment
          .getJobConfiguration()
          .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
      task = new MockStreamTaskBuilder(environment).build();
      storage = new JobManagerCheckpointStorage().createCheckpointStorage(new JobID());
    }

    /** The state that operators restore. */
    TestTaskStateManager restored() {
      return (TestTaskStateManager) environment.getTaskStateManager();
    }

    /** The metrics of the operator that was set up last. */
    InterceptingOperatorMetricGroup metrics() {
      return metrics.last;
    }
  }

  private final Map<String, SharedTask> tasks = new TreeMap<>();

  SharedTask get(int parallelism, int index) throws Exception {
    String which = index + " of " + parallelism;
    SharedTask task = tasks.get(which);
    if (task == null) {
      task = new SharedTask(parallelism, index);
      tasks.put(which, task);
    }
    return task;
  }
}
