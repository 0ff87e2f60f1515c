package io.croupier.noise;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
 * erased, so that whoever reads this object's memory learns nothing of earlier noise.
 *
 * <p>{@link #renew} puts fresh randomness of the operating system into the key. Every release of a
 * client and every vector of noise of a central model begins with it, so that a copy of the process
 * (a checkpointed container, a snapshot of a virtual machine) draws other noise than the original,
 * and whoever read the memory learns nothing of the releases that follow. What remains:
 *
 * <ul>
 *   <li>copies that are made within a release, after it was renewed, finish that release with the
 *       same noise;
 *   <li>the system that is asked has to be another one, or to know that it was copied. A copied
 *       virtual machine has a copied kernel, which repeats itself until it is seeded again: at once
 *       where it hears of the copy (the VM generation id; Linux from 5.18 on), within a minute or
 *       so elsewhere. Until then only the clocks, which are put into the key as well, tell the
 *       copies apart, and nothing ensures that they differ.
 * </ul>
 *
 * <p>Never serialised. Not safe for use by several threads: its owner holds a lock.
 */
public final class SecureBits implements LongSupplier {
  private static final int KEY_BYTES = 32;
  private static final int BLOCK_BYTES = 4096;

  /** Of the first block after a renewal: a release of few coordinates needs no more. */
  private static final int FIRST_BLOCK_BYTES = 512;

  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  /** A key is used for one block only, so the counter may always begin at zero. */
  private static final IvParameterSpec COUNTER_ZERO = new IvParameterSpec(new byte[16]);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final SecureRandom SYSTEM = system();

  private final Cipher cipher;
  private final MessageDigest digest;

  /** Whether the operating system's randomness goes into the key: always, but in tests. */
  private final boolean renews;

  /** The next key, then bits that are left. */
  private final byte[] block = new byte[BLOCK_BYTES];

  private int end = BLOCK_BYTES;
  private int position = BLOCK_BYTES;
  private int nextBytes = BLOCK_BYTES;

  /** A generator of its own, with a key that nobody else has. */
  public SecureBits() {
    this(true);
    renew();
  }

  /**
   * Noise that whoever knows the key can draw again, and so hides nothing: for tests only. Nothing
   * public leads here but the test code of this module.
   */
  static SecureBits insecureForTestsOnly(byte[] key) {
    SecureBits bits = new SecureBits(false);
    System.arraycopy(key, 0, bits.block, 0, KEY_BYTES);
    return bits;
  }

  /** What a copy of the process has, for tests only. */
  SecureBits copyForTestsOnly() {
    SecureBits copy = new SecureBits(renews);
    System.arraycopy(block, 0, copy.block, 0, BLOCK_BYTES);
    copy.end = end;
    copy.position = position;
    copy.nextBytes = nextBytes;
    return copy;
  }

  private SecureBits(boolean renews) {
    this.renews = renews;
    try {
      cipher = Cipher.getInstance("AES/CTR/NoPadding");
      digest = MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no AES/CTR/NoPadding or SHA-256", e);
    }
  }

  /** One whose seeds are read from the system each time; others keep some, which are copied too. */
  private static SecureRandom system() {
    try {
      // Never waits, unlike the default one on Linux before 5.6.
      return SecureRandom.getInstance("NativePRNGNonBlocking");
    } catch (NoSuchAlgorithmException e) {
      // Not Unix. The seeds of every other one are the system's as well.
      return new SecureRandom();
    }
  }

  /**
   * Begins a release: the next key is SHA-256 of the present one, 32 bytes that the operating
   * system hands out now, and its clocks. Bits that are left are erased.
   *
   * <p>Takes a few microseconds.
   */
  public void renew() {
    if (!renews) {
      return;
    }
    byte[] fresh = SYSTEM.generateSeed(KEY_BYTES);
    digest.update(block, 0, KEY_BYTES);
    digest.update(fresh);
    digest.update(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(System.nanoTime())
            .putLong(System.currentTimeMillis())
            .array());
    byte[] key = digest.digest();
    Arrays.fill(block, 0, end, (byte) 0);
    System.arraycopy(key, 0, block, 0, KEY_BYTES);
    Arrays.fill(key, (byte) 0);
    Arrays.fill(fresh, (byte) 0);
    nextBytes = FIRST_BLOCK_BYTES;
    position = end;
  }

  /** 64 independent fair bits. */
  @Override
  public long getAsLong() {
    if (position == end) {
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
      cipher.update(ZEROS, 0, nextBytes, block, 0);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256 in counter mode is not usable here", e);
    }
    position = KEY_BYTES;
    end = nextBytes;
    nextBytes = Math.min(BLOCK_BYTES, 2 * nextBytes);
  }
}
