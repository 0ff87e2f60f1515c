package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.junit.jupiter.api.Test;

/** State of release 0.2.0 contains blocks of digests as Flink's arrays of numbers. */
class DigestBlockSerializerTest {
  @Test
  void restoresArraysOfNumbers() {
    assertThat(
            LongPrimitiveArraySerializer.INSTANCE
                .snapshotConfiguration()
                .resolveSchemaCompatibility(new DigestBlockSerializer.Snapshot())
                .isCompatibleAsIs())
        .isTrue();
  }
}
