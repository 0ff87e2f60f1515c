package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class SecureBitsTest {
  private static final int BLOCK_BYTES = 4096;

  @Test
  void isTheKeyStreamOfAesWithEveryBlockKeyedByTheOneBefore() throws Exception {
    byte[] key = new byte[32];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) i;
    }
    SecureBits bits = SecureBits.insecureForTestsOnly(key);
    for (int block = 0; block < 3; block++) {
      ByteBuffer expected = ByteBuffer.wrap(keyStream(key)).order(ByteOrder.LITTLE_ENDIAN);
      expected.get(key);
      while (expected.hasRemaining()) {
        assertThat(bits.getAsLong()).isEqualTo(expected.getLong());
      }
    }
  }

  /** The cipher, applied to 0, 1, 2, ... as 128-bit big-endian numbers. */
  private static byte[] keyStream(byte[] key) throws GeneralSecurityException {
    ByteBuffer counters = ByteBuffer.allocate(BLOCK_BYTES);
    for (long i = 0; counters.hasRemaining(); i++) {
      counters.putLong(0).putLong(i);
    }
    Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
    aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
    return aes.doFinal(counters.array());
  }

  @Test
  void generatorsOfTheirOwnDiffer() {
    SecureBits one = new SecureBits();
    SecureBits other = new SecureBits();
    // False alarm: 2^-128.
    assertThat(new long[] {one.getAsLong(), one.getAsLong()})
        .isNotEqualTo(new long[] {other.getAsLong(), other.getAsLong()});
  }

  @Test
  void isNotSerializableAndPrintsNothing() throws Exception {
    assertThat(Serializable.class.isAssignableFrom(SecureBits.class)).isFalse();
    assertThat(SecureBits.class.getMethod("toString").getDeclaringClass()).isEqualTo(Object.class);
  }
}
