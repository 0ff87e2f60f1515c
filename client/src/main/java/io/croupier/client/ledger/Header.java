package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.GradientReports;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The beginning of the file. As bytes, big-endian: "CROUPIER", the version (4), the length of the
 * user's id (4) and that id in UTF-8, the same of the device's, and a CRC-32C (4) of all this.
 */
record Header(String userId, String deviceId) {
  static final int MAX_BYTES = 24 + 2 * GradientReports.MAX_ID_BYTES;

  private static final long MAGIC = ByteBuffer.wrap("CROUPIER".getBytes(UTF_8)).getLong();
  private static final int VERSION = 1;

  ByteBuffer toBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES).putLong(MAGIC).putInt(VERSION);
    put(bytes, userId);
    put(bytes, deviceId);
    return bytes.putInt(Entry.checksum(bytes.duplicate().flip())).flip();
  }

  private static void put(ByteBuffer bytes, String id) {
    byte[] utf8 = id.getBytes(UTF_8);
    bytes.putInt(utf8.length).put(utf8);
  }

  /** Reads a header and leaves the position behind it; null if there is none. */
  static Header parse(ByteBuffer bytes) {
    try {
      if (bytes.getLong() != MAGIC || bytes.getInt() != VERSION) {
        return null;
      }
      String userId = getId(bytes);
      String deviceId = getId(bytes);
      ByteBuffer summed = bytes.duplicate().flip();
      return bytes.getInt() == Entry.checksum(summed) ? new Header(userId, deviceId) : null;
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  private static String getId(ByteBuffer bytes) {
    int length = bytes.getInt();
    if (length < 0 || length > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] utf8 = new byte[length];
    bytes.get(utf8);
    return new String(utf8, UTF_8);
  }

  @Override
  public String toString() {
    return "Header of a ledger";
  }
}
