package io.croupier.job;

import io.croupier.operators.flink.RawRecord;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/**
 * Forwards records, with a state whose serialization fails while a test requests it. The state is
 * written after the barrier is forwarded, so every other operator takes its snapshot and the sink
 * pre-commits before the checkpoint fails. All instances of this JVM share one plan, so one test at
 * a time may use it.
 */
final class RefusedCheckpoints extends RichMapFunction<RawRecord, RawRecord>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1;

  private static final Set<Long> REFUSED = ConcurrentHashMap.newKeySet();
  private static volatile boolean refuses;

  private transient ListState<Boolean> refused;

  /** From now on no checkpoint completes. */
  static void begin() {
    REFUSED.clear();
    refuses = true;
  }

  /** From now on checkpoints complete again. */
  static void end() {
    refuses = false;
  }

  /** Number of checkpoints that have failed since {@link #begin()}. */
  static int count() {
    return REFUSED.size();
  }

  @Override
  public RawRecord map(RawRecord record) {
    return record;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    refused =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("refused", new Refusing()));
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    boolean refusesThis = refuses;
    refused.update(List.of(refusesThis));
    if (refusesThis) {
      REFUSED.add(context.getCheckpointId());
    }
  }

  /** Writes false, and refuses to write true. */
  static final class Refusing extends TypeSerializerSingleton<Boolean> {
    private static final long serialVersionUID = 1;

    @Override
    public void serialize(Boolean refused, DataOutputView target) throws IOException {
      if (refused) {
        throw new IOException("An intentionally failed checkpoint");
      }
      target.writeBoolean(refused);
    }

    @Override
    public Boolean deserialize(DataInputView source) throws IOException {
      return source.readBoolean();
    }

    @Override
    public Boolean deserialize(Boolean reuse, DataInputView source) throws IOException {
      return source.readBoolean();
    }

    @Override
    public boolean isImmutableType() {
      return true;
    }

    @Override
    public Boolean createInstance() {
      return false;
    }

    @Override
    public Boolean copy(Boolean from) {
      return from;
    }

    @Override
    public Boolean copy(Boolean from, Boolean reuse) {
      return from;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
      target.writeBoolean(source.readBoolean());
    }

    @Override
    public int getLength() {
      return 1;
    }

    @Override
    public TypeSerializerSnapshot<Boolean> snapshotConfiguration() {
      return new Snapshot();
    }
  }

  /** Public, with a constructor without arguments, since a restore creates it by reflection. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Boolean> {
    /** Snapshot of the one serializer. */
    public Snapshot() {
      super(Refusing::new);
    }
  }
}
