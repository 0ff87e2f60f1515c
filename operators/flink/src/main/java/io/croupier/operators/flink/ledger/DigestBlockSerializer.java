package io.croupier.operators.flink.ledger;

import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;

/** The name that the state of release 0.2.0 has for Flink's arrays of numbers. */
public final class DigestBlockSerializer {
  private DigestBlockSerializer() {}

  /** The snapshot of the serializer. That state contains its name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<long[]> {
    /** Creates a snapshot; Flink needs it. */
    public Snapshot() {
      super(() -> LongPrimitiveArraySerializer.INSTANCE);
    }
  }
}
