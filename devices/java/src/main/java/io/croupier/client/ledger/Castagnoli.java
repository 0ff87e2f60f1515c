package io.croupier.client.ledger;

import java.nio.ByteBuffer;

/**
 * CRC-32C (RFC 3720, appendix B.4), as {@code java.util.zip.CRC32C} computes it, which Android has
 * from version 14 on only.
 */
final class Castagnoli {
  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int[] TABLE = new int[1 << Byte.SIZE];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      int remainder = i;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        remainder = (remainder >>> 1) ^ ((remainder & 1) == 0 ? 0 : POLYNOMIAL);
      }
      TABLE[i] = remainder;
    }
  }

  private Castagnoli() {}

  /** The checksum of the bytes before an index. */
  static int checksum(ByteBuffer bytes, int end) {
    return checksum(bytes, 0, end);
  }

  /** The checksum of the bytes from an index to the one before another. */
  static int checksum(ByteBuffer bytes, int from, int end) {
    int remainder = -1;
    for (int i = from; i < end; i++) {
      int place = (remainder ^ bytes.get(i)) & (TABLE.length - 1);
      remainder = (remainder >>> Byte.SIZE) ^ TABLE[place];
    }
    return ~remainder;
  }
}
