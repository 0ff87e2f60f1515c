package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** Savepoints of earlier builds contain blocks of digests as Flink's arrays of numbers. */
class DigestBlockSerializerTest {
  private final DigestBlockSerializer serializer = new DigestBlockSerializer();

  private static <T> byte[] bytes(TypeSerializer<T> serializer, T value) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.serialize(value, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void writesAndReadsArraysOfNumbers() throws Exception {
    Random random = new Random(1);
    for (int length = 0; length <= 8; length++) {
      long[] block = random.longs(length).toArray();
      byte[] bytes = bytes(serializer, block);
      assertThat(bytes).isEqualTo(bytes(LongPrimitiveArraySerializer.INSTANCE, block));

      DataInputDeserializer in = new DataInputDeserializer(bytes);
      assertThat(serializer.deserialize(in)).isEqualTo(block);
      assertThat(in.available()).isZero();
      DataOutputSerializer copy = new DataOutputSerializer(16);
      serializer.copy(new DataInputDeserializer(bytes), copy);
      assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
    }
  }

  @Test
  void restoresStateOfArraysOfNumbers() {
    TypeSerializerSnapshot<Map<Integer, long[]>> now =
        new MapSerializer<>(IntSerializer.INSTANCE, serializer).snapshotConfiguration();

    assertThat(
            now.resolveSchemaCompatibility(
                    new MapSerializer<>(
                            IntSerializer.INSTANCE, LongPrimitiveArraySerializer.INSTANCE)
                        .snapshotConfiguration())
                .isCompatibleAsIs())
        .isTrue();
    assertThat(now.resolveSchemaCompatibility(now).isCompatibleAsIs()).isTrue();
    assertThat(serializer.snapshotConfiguration().restoreSerializer()).isEqualTo(serializer);
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void restoresNoOtherState() {
    TypeSerializerSnapshot other = BytePrimitiveArraySerializer.INSTANCE.snapshotConfiguration();

    assertThat(
            serializer.snapshotConfiguration().resolveSchemaCompatibility(other).isIncompatible())
        .isTrue();
  }
}
