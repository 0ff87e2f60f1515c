package io.croupier.noise;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.LongSupplier;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Uniform random bits from AES-256 in counter mode, keyed by the operating system [Ber17].
 *
 * <p>Each block of key stream begins with the key of the next one, and what has been handed out is
 * erased, so that whoever reads this object's memory learns nothing of earlier noise. (They would
 * learn the noise to come; so would whoever restores a snapshot of a running machine.)
 *
 * <p>Never serialised. Not safe for use by several threads: its owner holds a lock.
 */
public final class SecureBits implements LongSupplier {
  private static final int KEY_BYTES = 32;
  private static final int BLOCK_BYTES = 4096;
  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  /** A key is used for one block only, so the counter may always begin at zero. */
  private static final IvParameterSpec COUNTER_ZERO = new IvParameterSpec(new byte[16]);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Cipher cipher;
  private final byte[] block = new byte[BLOCK_BYTES];
  private int position = BLOCK_BYTES;

  /** A generator of its own, with a key that nobody else has. */
  public SecureBits() {
    this(freshKey());
  }

  /**
   * Noise that whoever knows the key can draw again, and so hides nothing: for tests only. Nothing
   * public leads here but the test code of this module.
   */
  static SecureBits insecureForTestsOnly(byte[] key) {
    return new SecureBits(key.clone());
  }

  private SecureBits(byte[] key) {
    try {
      cipher = Cipher.getInstance("AES/CTR/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no AES/CTR/NoPadding cipher", e);
    }
    System.arraycopy(key, 0, block, 0, KEY_BYTES);
    Arrays.fill(key, (byte) 0);
  }

  private static byte[] freshKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /** 64 independent fair bits. */
  @Override
  public long getAsLong() {
    if (position == BLOCK_BYTES) {
      refill();
    }
    long bits = (long) LONGS.get(block, position);
    LONGS.set(block, position, 0L);
    position += Long.BYTES;
    return bits;
  }

  private void refill() {
    try {
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(block, 0, KEY_BYTES, "AES"), COUNTER_ZERO);
      cipher.update(ZEROS, 0, BLOCK_BYTES, block, 0);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256 in counter mode is not usable here", e);
    }
    position = KEY_BYTES;
  }
}
