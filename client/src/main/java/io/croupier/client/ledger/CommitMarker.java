package io.croupier.client.ledger;

import java.nio.ByteBuffer;

/**
 * The marker written after a report's entry is durable, and before the report is sent. As bytes,
 * big-endian: a magic number (4), the commit marker's own position in the file (8), and a CRC-32C
 * (4) of these and the header's checksum. So everything before a commit marker in the file was once
 * complete.
 */
final class CommitMarker {
  static final int BYTES = 16;
  private static final int MAGIC = 0x5EA1_C40B;

  private final int headerChecksum;

  CommitMarker(Header header) {
    headerChecksum = LedgerEntry.checksum(header.toBytes());
  }

  ByteBuffer at(long position) {
    ByteBuffer marker = ByteBuffer.allocate(BYTES).putInt(MAGIC).putLong(position);
    return marker.putInt(checksum(position)).flip();
  }

  /**
   * Whether {@code bytes} have at {@code index} the commit marker for {@code position} in the file.
   */
  boolean isAt(ByteBuffer bytes, int index, long position) {
    return bytes.getInt(index) == MAGIC
        && bytes.getLong(index + 4) == position
        && bytes.getInt(index + 12) == checksum(position);
  }

  private int checksum(long position) {
    ByteBuffer summed = ByteBuffer.allocate(16).putInt(MAGIC).putLong(position);
    return LedgerEntry.checksum(summed.putInt(headerChecksum).flip());
  }
}
