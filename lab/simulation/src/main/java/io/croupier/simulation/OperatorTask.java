package io.croupier.simulation;

import io.croupier.operators.flink.OutboundRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;

/**
 * One operator of a subtask in Flink's harness. All harnesses share what spills to disks, which
 * none uses: a harness of its own would start two threads. A harness's close() may throw any
 * exception.
 */
@SuppressWarnings("try")
final class OperatorTask<T> extends AbstractStreamOperatorTestHarness<T> {
  /** Of the job, once and for all. */
  static final int KEY_GROUPS = 16;

  private static final SharedDisks DISKS = new SharedDisks();

  private static final class SharedDisks extends IOManagerAsync {
    @Override
    public void close() {
      // Others use it.
    }
  }

  /** Keeps the metrics of the operator. */
  private static final class Metrics extends UnregisteredMetricGroups.UnregisteredTaskMetricGroup {
    private final InterceptingOperatorMetricGroup operator = new InterceptingOperatorMetricGroup();

    @Override
    public InternalOperatorMetricGroup getOrAddOperator(
        OperatorID id, String name, Map<String, String> variables) {
      return operator;
    }
  }

  private final Metrics metrics;

  /**
   * Creates the task.
   *
   * @param keys of the operator's inputs, by String; null for an input without keys
   */
  OperatorTask(
      AbstractStreamOperator<T> operator, int parallelism, int index, KeySelector<?, ?>... keys)
      throws Exception {
    this(operator, parallelism, index, new Metrics(), keys);
  }

  private OperatorTask(
      AbstractStreamOperator<T> operator,
      int parallelism,
      int index,
      Metrics metrics,
      KeySelector<?, ?>... keys)
      throws Exception {
    super(operator, environment(parallelism, index, metrics));
    this.metrics = metrics;
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] != null) {
        config.setStatePartitioner(i, keys[i]);
        config.setStateKeySerializer(
            Types.STRING.createSerializer(executionConfig.getSerializerConfig()));
      }
    }
    config.serializeAllConfigs();
    getEnvironment()
        .getJobConfiguration()
        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
  }

  private static MockEnvironment environment(int parallelism, int index, Metrics metrics) {
    return new MockEnvironmentBuilder()
        .setTaskName("task")
        .setManagedMemorySize(1 << 15)
        .setBufferSize(1024)
        .setMaxParallelism(KEY_GROUPS)
        .setParallelism(parallelism)
        .setSubtaskIndex(index)
        .setIOManager(DISKS)
        .setMetricGroup(metrics)
        .build();
  }

  /** A number that the operator shows. */
  long gauge(String name) {
    return ((Number) ((Gauge<?>) metrics.operator.get(name)).getValue()).longValue();
  }

  /** Lets the operator start with a state; null for none. */
  void start(OperatorSubtaskState restored, long nowMs) throws Exception {
    setProcessingTime(nowMs);
    setup();
    if (restored != null) {
      initializeState(restored);
    }
    open();
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

  /** Removes and returns what the operator has emitted. */
  List<T> drain() {
    List<T> values = extractOutputValues();
    getOutput().clear();
    return values;
  }

  /** The same for a side output. */
  List<OutboundRecord> drain(OutputTag<OutboundRecord> tag) {
    Queue<StreamRecord<OutboundRecord>> side = getSideOutput(tag);
    List<OutboundRecord> values = new ArrayList<>();
    if (side != null) {
      side.forEach(record -> values.add(record.getValue()));
      side.clear();
    }
    return values;
  }
}
