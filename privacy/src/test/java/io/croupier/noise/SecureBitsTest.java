package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
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
  void separateGeneratorsDiffer() {
    SecureBits one = new SecureBits();
    SecureBits other = new SecureBits();
    // False alarm: 2^-128.
    assertThat(new long[] {one.getAsLong(), one.getAsLong()})
        .isNotEqualTo(new long[] {other.getAsLong(), other.getAsLong()});
  }

  /** A machine snapshot that is resumed twice. */
  @Test
  void renewedCopyDrawsDifferentBits() {
    SecureBits bits = new SecureBits();
    long unused = bits.getAsLong();
    SecureBits copy = bits.copyForTestsOnly();
    assertThat(copy.getAsLong()).as("the copy draws the same").isEqualTo(bits.getAsLong());

    bits.renew();
    copy.renew();
    // False alarm: 2^-128.
    assertThat(draw(copy, 2)).isNotEqualTo(draw(bits, 2));
  }

  @Test
  void oneRenewalIsEnoughForBlocksToDiffer() {
    SecureBits bits = new SecureBits();
    SecureBits copy = bits.copyForTestsOnly();
    copy.renew();
    // More than the blocks of 512, 1024, 2048 and 4096 bytes contain; false alarm: 2^-43.
    assertThat(draw(copy, 1200)).doesNotContain(draw(bits, 1200));
  }

  @Test
  void unusedAndReturnedBitsAreErased() throws Exception {
    SecureBits bits = new SecureBits();
    long drawn = bits.getAsLong();
    Field field = SecureBits.class.getDeclaredField("block");
    field.setAccessible(true);
    byte[] block = (byte[]) field.get(bits);
    byte[] before = block.clone();
    assertThat(before).as("unused bits exist").isNotEqualTo(new byte[before.length]);
    assertThat(ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN).getLong(32))
        .isZero()
        .isNotEqualTo(drawn);
    bits.renew();
    assertThat(Arrays.copyOfRange(block, 32, block.length)).containsOnly(0);
    assertThat(Arrays.copyOf(block, 32)).as("the key").isNotEqualTo(Arrays.copyOf(before, 32));
  }

  /** Bits are fair across renewals, and none is returned twice. */
  @Test
  void blocksOfAllSizesGiveEveryBitOnce() {
    SecureBits bits = new SecureBits();
    Set<Long> seen = new HashSet<>();
    long ones = 0;
    int n = 0;
    for (int release = 0; release < 200; release++) {
      bits.renew();
      for (int i = 0; i < release * 8; i++) {
        long word = bits.getAsLong();
        // False alarm for all: 159,200^2 / 2^65 < 1e-9.
        assertThat(seen.add(word)).isTrue();
        ones += Long.bitCount(word);
        n += Long.SIZE;
      }
    }
    // 6 deviations; false alarm: 2e-9.
    assertThat(Math.abs(ones - n / 2.0)).isLessThan(6 * Math.sqrt(n / 4.0));
  }

  private static long[] draw(SecureBits bits, int n) {
    return LongStream.generate(bits).limit(n).toArray();
  }

  @Test
  void isNotSerializableAndPrintsNothing() throws Exception {
    assertThat(Serializable.class.isAssignableFrom(SecureBits.class)).isFalse();
    assertThat(SecureBits.class.getMethod("toString").getDeclaringClass()).isEqualTo(Object.class);
  }
}
