package io.croupier.operators.report;

import io.croupier.operators.math.PackedVectors;

/**
 * SipHash-1-3, a pseudorandom function of 64 bits (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012, section 2, with one round for each word and three at the end).
 */
final class SipHash implements ReportDigest {
  private final long k0;
  private final long k1;

  SipHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  @Override
  public long of(byte[] bytes) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int words = bytes.length / Long.BYTES;
    // A loop of its own, since a branch in it would take half of its time again.
    for (int i = 0; i < words; i++) {
      long word = PackedVectors.longAt(bytes, i);
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    long last = last(bytes);
    v3 ^= last;
    for (int i = 0; i < 4; i++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      if (i == 0) {
        v0 ^= last;
        v2 ^= 0xff;
      }
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** Returns the bytes after the last whole word, and the length in the highest byte. */
  private static long last(byte[] bytes) {
    long word = (long) bytes.length << 56;
    for (int i = bytes.length & -Long.BYTES, shift = 0; i < bytes.length; i++, shift += Byte.SIZE) {
      word |= (bytes[i] & 0xffL) << shift;
    }
    return word;
  }
}
