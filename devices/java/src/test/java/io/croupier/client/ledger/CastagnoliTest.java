package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class CastagnoliTest {
  /** The check value of CRC-32C. */
  @Test
  void theCheckValue() {
    assertThat(Castagnoli.checksum(ByteBuffer.wrap("123456789!".getBytes(US_ASCII)), 9))
        .isEqualTo(0xE3069283);
  }

  @Test
  void itIsTheChecksumOfJava() {
    Random random = new Random(7);
    for (int length = 0; length < 300; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      CRC32C java = new CRC32C();
      java.update(bytes);
      assertThat(Castagnoli.checksum(ByteBuffer.wrap(bytes), length))
          .isEqualTo((int) java.getValue());
    }
  }
}
