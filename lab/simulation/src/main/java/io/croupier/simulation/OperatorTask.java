package io.croupier.simulation;

import io.croupier.operators.flink.OutboundRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.StreamOperatorUtils;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.streaming.util.MockOutput;
import org.apache.flink.util.OutputTag;

/**
 * One operator of a subtask, run as Flink's harness for tests runs one. Its close() may throw any
 * exception.
 */
@SuppressWarnings("try")
final class OperatorTask<T> implements AutoCloseable {
  /** Of the job, once and for all. */
  static final int KEY_GROUPS = 16;

  /** What the operator has emitted. */
  private static final class Emitted<T> extends MockOutput<T> {
    private final List<T> values = new ArrayList<>();
    private final List<OutboundRecord> records = new ArrayList<>();

    Emitted() {
      super(List.of());
    }

    @Override
    public void collect(StreamRecord<T> element) {
      values.add(element.getValue());
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
      records.add((OutboundRecord) record.getValue());
    }
  }

  private final AbstractStreamOperator<T> operator;
  private final SharedTasks.SharedTask task;
  private final StreamConfig config = new StreamConfig(new Configuration());
  private final TestProcessingTimeService time = new TestProcessingTimeService();
  private final Emitted<T> emitted = new Emitted<>();
  private InterceptingOperatorMetricGroup metrics;

  /**
   * Creates the task.
   *
   * @param keys of the operator's inputs, by String; null for an input without keys
   */
  OperatorTask(
      SharedTasks tasks,
      AbstractStreamOperator<T> operator,
      int parallelism,
      int index,
      KeySelector<?, ?>... keys)
      throws Exception {
    this.operator = operator;
    task = tasks.get(parallelism, index);
    config.setOperatorID(new OperatorID());
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] != null) {
        config.setStatePartitioner(i, keys[i]);
        config.setStateKeySerializer(
            Types.STRING.createSerializer(
                task.environment.getExecutionConfig().getSerializerConfig()));
      }
    }
    config.serializeAllConfigs();
  }

  /** A number that the operator shows. */
  long gauge(String name) {
    return ((Number) ((Gauge<?>) metrics.get(name)).getValue()).longValue();
  }

  /** Lets the operator start with a state; null for none. */
  void start(OperatorSubtaskState restored, long nowMs) throws Exception {
    setProcessingTime(nowMs);
    StreamOperatorUtils.setProcessingTimeService(operator, time);
    StreamOperatorUtils.setupStreamOperator(operator, task.task, config, emitted);
    metrics = task.metrics();
    TaskStateSnapshot state = new TaskStateSnapshot();
    if (restored != null) {
      state.putSubtaskStateByOperatorID(operator.getOperatorID(), restored);
    }
    TestTaskStateManager states = task.restored();
    states.setReportedCheckpointId(0);
    states.setJobManagerTaskStateSnapshotsByCheckpointId(
        restored == null ? Map.of() : Map.of(0L, state));
    operator.initializeState(
        new StreamTaskStateInitializerImpl(task.environment, new HashMapStateBackend()));
    operator.open();
  }

  /** Sets the clock, which lets timers fire. */
  void setProcessingTime(long nowMs) throws Exception {
    time.setCurrentTime(nowMs);
  }

  /** Lets an operator of two inputs process an element of the first. */
  @SuppressWarnings("unchecked")
  <A> void processFirst(A element) throws Exception {
    StreamRecord<A> record = new StreamRecord<>(element);
    operator.setKeyContextElement1(record);
    ((TwoInputStreamOperator<A, ?, T>) operator).processElement1(record);
  }

  /** The same for the second input. */
  @SuppressWarnings("unchecked")
  <B> void processSecond(B element) throws Exception {
    StreamRecord<B> record = new StreamRecord<>(element);
    operator.setKeyContextElement2(record);
    ((TwoInputStreamOperator<?, B, T>) operator).processElement2(record);
  }

  void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    operator.prepareSnapshotPreBarrier(checkpoint);
  }

  OperatorSubtaskState snapshot(long checkpoint, long nowMs) throws Exception {
    CheckpointStorageLocationReference location = CheckpointStorageLocationReference.getDefault();
    return OperatorSnapshotFinalizer.create(
            operator.snapshotState(
                checkpoint,
                nowMs,
                new CheckpointOptions(CheckpointType.CHECKPOINT, location),
                task.storage.resolveCheckpointStorageLocation(checkpoint, location)))
        .getJobManagerOwnedState();
  }

  void notifyOfCompletedCheckpoint(long checkpoint) throws Exception {
    operator.notifyCheckpointComplete(checkpoint);
  }

  /** Removes and returns what the operator has emitted. */
  List<T> drain() {
    return taken(emitted.values);
  }

  /** The same for its side output. */
  List<OutboundRecord> drainSide() {
    return taken(emitted.records);
  }

  private static <X> List<X> taken(List<X> from) {
    List<X> taken = List.copyOf(from);
    from.clear();
    return taken;
  }

  @Override
  public void close() throws Exception {
    time.shutdownService();
    operator.finish();
    operator.close();
  }
}
