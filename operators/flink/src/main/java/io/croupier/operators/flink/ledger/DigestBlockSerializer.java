package io.croupier.operators.flink.ledger;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer.LongPrimitiveArraySerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The format of {@link FormerDigests}: blocks with the same bytes as {@link
 * LongPrimitiveArraySerializer}, but each in one piece, since a stream takes as long for one number
 * as for a block. A block is never changed, so none is copied.
 */
public final class DigestBlockSerializer extends TypeSerializerSingleton<long[]> {
  private static final long serialVersionUID = 1;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  @Override
  public void serialize(long[] block, DataOutputView target) throws IOException {
    byte[] bytes = new byte[Integer.BYTES + block.length * Long.BYTES];
    INT.set(bytes, 0, block.length);
    for (int i = 0; i < block.length; i++) {
      LONG.set(bytes, Integer.BYTES + i * Long.BYTES, block[i]);
    }
    target.write(bytes);
  }

  @Override
  public long[] deserialize(DataInputView source) throws IOException {
    return LongPrimitiveArraySerializer.INSTANCE.deserialize(source);
  }

  @Override
  public long[] deserialize(long[] reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public long[] copy(long[] from) {
    return from;
  }

  @Override
  public long[] copy(long[] from, long[] reuse) {
    return from;
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public long[] createInstance() {
    return new long[0];
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public TypeSerializerSnapshot<long[]> snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. State contains its name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<long[]> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(DigestBlockSerializer::new);
    }

    @Override
    public TypeSerializerSchemaCompatibility<long[]> resolveSchemaCompatibility(
        TypeSerializerSnapshot<long[]> before) {
      return before instanceof LongPrimitiveArraySerializerSnapshot
          ? TypeSerializerSchemaCompatibility.compatibleAsIs()
          : super.resolveSchemaCompatibility(before);
    }
  }
}
