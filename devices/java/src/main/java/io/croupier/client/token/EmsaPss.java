package io.croupier.client.token;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/** The encoding EMSA-PSS with SHA-384 and MGF1 with SHA-384 (RFC 8017, section 9.1.1). */
final class EmsaPss {
  /** Bytes of a hash, and of the salt of a token's signature. */
  static final int HASH_BYTES = 48;

  private static final int TRAILER = 0xbc;

  private EmsaPss() {}

  /**
   * Encodes a message.
   *
   * @param bits length of the result in bits: one less than that of the modulus
   * @return bits / 8 bytes, rounded up
   * @throws IllegalArgumentException if hash and salt don't fit into so many bits
   */
  static byte[] encode(byte[] message, byte[] salt, int bits) {
    int length = (bits + 7) / 8;
    int blockBytes = length - HASH_BYTES - 1;
    int zeros = blockBytes - salt.length - 1;
    if (zeros < 0) {
      throw new IllegalArgumentException(
          "the encoding has "
              + length
              + " bytes; it must have at least "
              + (salt.length + HASH_BYTES + 2));
    }
    MessageDigest sha384 = Digests.sha384();
    byte[] messageHash = sha384.digest(message);
    sha384.update(new byte[8]);
    sha384.update(messageHash);
    byte[] hash = sha384.digest(salt);
    byte[] block = mask(hash, blockBytes);
    block[zeros] ^= 1;
    for (int i = 0; i < salt.length; i++) {
      block[zeros + 1 + i] ^= salt[i];
    }
    block[0] &= (byte) (0xff >>> (8 * length - bits));
    return ByteBuffer.allocate(length).put(block).put(hash).put((byte) TRAILER).array();
  }

  /** MGF1 (RFC 8017, appendix B.2.1). */
  private static byte[] mask(byte[] seed, int length) {
    MessageDigest sha384 = Digests.sha384();
    ByteBuffer blocks = ByteBuffer.allocate((length + HASH_BYTES - 1) / HASH_BYTES * HASH_BYTES);
    for (int counter = 0; blocks.hasRemaining(); counter++) {
      sha384.update(seed);
      sha384.update(ByteBuffer.allocate(Integer.BYTES).putInt(counter).flip());
      blocks.put(sha384.digest());
    }
    return Arrays.copyOf(blocks.array(), length);
  }
}
