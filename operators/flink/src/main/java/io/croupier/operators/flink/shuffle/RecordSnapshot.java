package io.croupier.operators.flink.shuffle;

import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** What a state keeps of a {@link RecordSerializer}: the version of its records. */
public abstract class RecordSnapshot<T> implements TypeSerializerSnapshot<T> {
  private final Supplier<? extends RecordSerializer<T>> serializer;
  private int version;

  /**
   * Creates the snapshot of a serializer of this release.
   *
   * @param serializer creates the serializer
   */
  protected RecordSnapshot(Supplier<? extends RecordSerializer<T>> serializer) {
    this.serializer = serializer;
    version = serializer.get().version();
  }

  @Override
  public final int getCurrentVersion() {
    return serializer.get().version();
  }

  @Override
  public final void writeSnapshot(DataOutputView out) {
    // Flink writes the version.
  }

  @Override
  public final void readSnapshot(int readVersion, DataInputView in, ClassLoader classLoader) {
    version = readVersion;
  }

  @Override
  public final RecordSerializer<T> restoreSerializer() {
    return serializer.get();
  }

  @Override
  public final TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
      TypeSerializerSnapshot<T> old) {
    return old.getClass() == getClass() && ((RecordSnapshot<T>) old).version <= version
        ? TypeSerializerSchemaCompatibility.compatibleAsIs()
        : TypeSerializerSchemaCompatibility.incompatible();
  }
}
