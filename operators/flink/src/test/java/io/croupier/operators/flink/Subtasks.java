package io.croupier.operators.flink;

import io.croupier.operators.flink.OutboundRecord.Destination;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;

/**
 * One operator as on a cluster: a harness for each subtask, records routed by key, and barriers at
 * which all subtasks stop and restore their state, with the parallelism of the plan. Outputs of the
 * operator are collected across restarts.
 */
public class Subtasks<O, H extends AbstractStreamOperatorTestHarness<O>> implements AutoCloseable {
  protected static final int KEY_GROUPS = 16;

  /** Creates the harness of one subtask, without opening it. */
  public interface Launch<H> {
    H harness(int keyGroups, int parallelism, int index) throws Exception;
  }

  /** An action on a subtask. */
  public interface Step<H> {
    void on(H harness) throws Exception;
  }

  /** The state backend of keyed state. */
  public enum Backend {
    HASH_MAP,
    ROCKS_DB;

    /** RocksDB deletes its files when it is closed, but not the harness's folder for them. */
    public StateBackend create() {
      if (this == HASH_MAP) {
        return new HashMapStateBackend();
      }
      EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend();
      rocksDb.setDbStoragePath(Path.of("target", "rocks-db").toAbsolutePath().toString());
      return rocksDb;
    }
  }

  /** The plan of restarts at barriers. */
  public enum Plan {
    /** A checkpoint without a restart. */
    NEVER_STOPPED(1),
    /** A restart. */
    RESTORED(1),
    /** A restart with two subtasks, at the next barrier with one, and so on. */
    RESCALED(2);

    private final int widest;

    Plan(int widest) {
      this.widest = widest;
    }

    int parallelismAfter(int barriers) {
      return barriers % 2 == 1 ? widest : 1;
    }
  }

  private final Launch<H> launch;
  private final Backend backend;
  private final Plan plan;
  private final OutputTag<OutboundRecord> sideOutput;

  /**
   * The job configuration of subtasks from the next start on; initially, checkpoints are
   * exactly-once.
   */
  public final Configuration job = new Configuration();

  private final List<O> outputs = new ArrayList<>();
  private final List<OutboundRecord> sideOutputs = new ArrayList<>();
  private final List<OutboundRecord> progress = new ArrayList<>();
  private List<H> harnesses = new ArrayList<>();
  private int barriers;
  private long nowMs = 1_000_000;

  public Subtasks(
      Launch<H> launch, Backend backend, Plan plan, OutputTag<OutboundRecord> sideOutput)
      throws Exception {
    this.launch = launch;
    this.backend = backend;
    this.plan = plan;
    this.sideOutput = sideOutput;
    job.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    start(1, null);
  }

  private void start(int parallelism, OperatorSubtaskState state) throws Exception {
    int before = harnesses.size();
    harnesses = new ArrayList<>();
    for (int i = 0; i < parallelism; i++) {
      H harness = launch.harness(KEY_GROUPS, parallelism, i);
      harnesses.add(harness);
      harness.getEnvironment().getJobConfiguration().addAll(job);
      harness.setStateBackend(backend.create());
      harness.setProcessingTime(nowMs);
      harness.setup();
      if (state != null) {
        harness.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(
                state, KEY_GROUPS, before, parallelism, i));
      }
      harness.open();
    }
  }

  public final long nowMs() {
    return nowMs;
  }

  /** Applies an action to the subtask that owns {@code key}. */
  public final void on(String key, Step<H> step) throws Exception {
    int parallelism = harnesses.size();
    step.on(
        harnesses.get(
            KeyGroupRangeAssignment.assignKeyToParallelOperator(key, KEY_GROUPS, parallelism)));
  }

  public final void onEach(Step<H> step) throws Exception {
    for (H harness : harnesses) {
      step.on(harness);
    }
  }

  public final void advanceTime(long ms) throws Exception {
    nowMs += ms;
    onEach(harness -> harness.setProcessingTime(nowMs));
  }

  /** Takes a checkpoint that never completes: no subtask is notified. */
  public final void failedBarrier() throws Exception {
    snapshot(++barriers);
  }

  /** Notifies each subtask that a checkpoint is complete. */
  public final void completed(long checkpointId) throws Exception {
    onEach(harness -> harness.notifyOfCompletedCheckpoint(checkpointId));
  }

  private List<OperatorSubtaskState> snapshot(long id) throws Exception {
    List<OperatorSubtaskState> states = new ArrayList<>();
    for (H harness : harnesses) {
      harness.prepareSnapshotPreBarrier(id);
      states.add(harness.snapshot(id, nowMs));
    }
    return states;
  }

  /** Takes a checkpoint and, according to the plan, continues from it in new subtasks. */
  public final void barrier() throws Exception {
    long id = ++barriers;
    List<OperatorSubtaskState> states = snapshot(id);
    if (plan == Plan.NEVER_STOPPED) {
      completed(id);
    } else {
      close();
      start(
          plan.parallelismAfter(barriers),
          AbstractStreamOperatorTestHarness.repackageState(
              states.toArray(OperatorSubtaskState[]::new)));
    }
  }

  /** Continues from a checkpoint without any state of the operator, in one new subtask. */
  public final void loseState() throws Exception {
    close();
    start(1, OperatorSubtaskState.builder().build());
  }

  /** Returns all records of progress so far. */
  public final List<OutboundRecord> progress() {
    drain();
    return progress;
  }

  /** Returns all outputs of the operator so far, without records of progress. */
  public final List<O> outputs() {
    drain();
    return outputs;
  }

  /** Returns all records of a side output so far, without records of progress. */
  public final List<OutboundRecord> sideOutputs() {
    drain();
    return sideOutputs;
  }

  private void drain() {
    for (H harness : harnesses) {
      for (O output : harness.extractOutputValues()) {
        if (!isProgress(output)) {
          outputs.add(output);
        }
      }
      harness.getOutput().clear();
      var side = sideOutput == null ? null : harness.getSideOutput(sideOutput);
      if (side != null) {
        for (var record : side) {
          if (!isProgress(record.getValue())) {
            sideOutputs.add(record.getValue());
          }
        }
        side.clear();
      }
    }
  }

  private boolean isProgress(Object output) {
    if (output instanceof OutboundRecord record && record.destination == Destination.PROGRESS) {
      progress.add(record);
      return true;
    }
    return false;
  }

  @Override
  public final void close() {
    drain();
    for (H harness : harnesses) {
      try {
        harness.close();
      } catch (Exception e) {
        throw new AssertionError("A subtask can't be closed", e);
      }
    }
  }

  /** Returns the bytes of records in Flink's serialisation, in order for each key. */
  public static <T> Map<String, List<String>> bytesByKey(
      List<T> records, Class<T> type, Function<T, String> key) {
    TypeSerializer<T> serializer =
        TypeInformation.of(type).createSerializer(new SerializerConfigImpl());
    return records.stream()
        .collect(
            Collectors.groupingBy(
                key,
                TreeMap::new,
                Collectors.mapping(record -> bytes(record, serializer), Collectors.toList())));
  }

  private static <T> String bytes(T record, TypeSerializer<T> serializer) {
    DataOutputSerializer out = new DataOutputSerializer(256);
    try {
      serializer.serialize(record, out);
    } catch (IOException e) {
      throw new AssertionError("A record that Flink can't serialise", e);
    }
    return HexFormat.of().formatHex(out.getCopyOfBuffer());
  }
}
