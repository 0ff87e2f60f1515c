package io.croupier.job;

import io.croupier.operators.report.Report;
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
 * Passes reports on, with a state that can't be written while a test says so. The write comes after
 * the barrier has gone on, so that every other operator takes its snapshot and the sink
 * pre-commits: the checkpoint fails all the same. All instances of this JVM share one plan, so one
 * test at a time may use it.
 */
final class RefusedCheckpoints extends RichMapFunction<Report, Report>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1;

  private static final Set<Long> REFUSED = ConcurrentHashMap.newKeySet();
  private static volatile boolean refuses;

  private transient ListState<Boolean> refused;

  /** From now on no checkpoint is complete. */
  static void begin() {
    REFUSED.clear();
    refuses = true;
  }

  /** From now on checkpoints are complete again. */
  static void end() {
    refuses = false;
  }

  /** How many checkpoints have failed since the beginning. */
  static int count() {
    return REFUSED.size();
  }

  @Override
  public Report map(Report report) {
    return report;
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
        throw new IOException("A checkpoint that fails on purpose");
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

  /** Public, with a constructor without arguments: a restore makes it by reflection. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Boolean> {
    /** Of the one serialiser. */
    public Snapshot() {
      super(Refusing::new);
    }
  }
}
