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
 * <p>Each block of key stream begins with the key of the next one, and returned bits are erased, so
 * that a reader of this object's memory learns nothing of earlier noise.
 *
 * <p>{@link #renew} mixes fresh randomness of the operating system into the key. Every release of a
 * client and every vector of noise of a central model begins with it, so that a copy of the process
 * (a checkpointed container, a snapshot of a virtual machine) draws different noise from the
 * original, and a reader of the memory learns nothing of later releases. The remaining weaknesses
 * are:
 *
 * <ul>
 *   <li>copies that are made within a release, after the renewal, finish that release with the same
 *       noise;
 *   <li>the copies must run on different operating systems, or the system must detect that it was
 *       copied. A copied virtual machine has a copied kernel, which returns the same randomness
 *       until it is reseeded: immediately if it detects the copy (the VM generation id; Linux from
 *       5.18 on), otherwise within about a minute, and before 5.18 only within minutes. Until then
 *       only the clocks, which also enter the key, distinguish the copies, and they need not
 *       differ.
 * </ul>
 *
 * <p>Never serialised. Not safe for use by several threads: the owner must synchronize.
 */
public final class SecureBits implements LongSupplier {
  private static final int KEY_BYTES = 32;
  private static final int BLOCK_BYTES = 4096;

  /** Size of the first block after a renewal, enough for a release of few coordinates. */
  private static final int FIRST_BLOCK_BYTES = 512;

  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  /** A key is used for one block only, so the counter can always start at zero. */
  private static final IvParameterSpec COUNTER_ZERO = new IvParameterSpec(new byte[16]);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final SecureRandom SYSTEM = system();

  private final Cipher cipher;
  private final MessageDigest digest;

  /** Whether the operating system's randomness enters the key: always, except in tests. */
  private final boolean renews;

  /** The next key, then the unused bits. */
  private final byte[] block = new byte[BLOCK_BYTES];

  private int end = BLOCK_BYTES;
  private int position = BLOCK_BYTES;
  private int nextBytes = BLOCK_BYTES;

  /** Creates a generator with a new random key. */
  public SecureBits() {
    this(true);
    renew();
  }

  /**
   * A generator whose bits are reproducible from the key, so that it protects nothing: for tests
   * only. Only test code of this module makes it accessible.
   */
  static SecureBits insecureForTestsOnly(byte[] key) {
    SecureBits bits = new SecureBits(false);
    System.arraycopy(key, 0, bits.block, 0, KEY_BYTES);
    return bits;
  }

  /** A copy, as in a copied process; for tests only. */
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

  /**
   * A generator whose seeds are read from the system each time; others buffer seeds, which would be
   * copied, too.
   */
  private static SecureRandom system() {
    try {
      // It never blocks, unlike the default one on Linux before 5.6.
      return SecureRandom.getInstance("NativePRNGNonBlocking");
    } catch (NoSuchAlgorithmException e) {
      // Not Unix. The seeds of all other generators are also the system's.
      return new SecureRandom();
    }
  }

  /**
   * Begins a release: the next key is SHA-256 of the current one, 32 fresh bytes of the operating
   * system, and its clocks. Unused bits are erased.
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
