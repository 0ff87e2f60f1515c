package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** How often which data were reported, by their digests. Nothing is ever forgotten. */
final class ReportedData {
  private static final int BYTES = LedgerSecret.DATA_BYTES + Integer.BYTES;

  private final Map<ByteString, Integer> reported = new HashMap<>();

  int of(ByteString data) {
    return reported.getOrDefault(data, 0);
  }

  void add(ByteString data) {
    if (!data.equals(LedgerEntry.UNKNOWN_DATA)) {
      reported.merge(data, 1, Math::addExact);
    }
  }

  boolean isEmpty() {
    return reported.isEmpty();
  }

  /** Of each data the digest, and the count in four bytes. */
  byte[] encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(BYTES, reported.size()));
    reported.forEach((data, count) -> bytes.put(data.asReadOnlyByteBuffer()).putInt(count));
    return bytes.array();
  }

  /** Takes {@link #encoded} bytes, before any other data; false if they are malformed. */
  boolean take(byte[] encoded) {
    ByteBuffer bytes = ByteBuffer.wrap(encoded);
    boolean isSound = reported.isEmpty() && encoded.length % BYTES == 0;
    while (isSound && bytes.hasRemaining()) {
      byte[] data = new byte[LedgerSecret.DATA_BYTES];
      bytes.get(data);
      int count = bytes.getInt();
      isSound = count > 0 && reported.put(ByteString.copyFrom(data), count) == null;
    }
    return isSound;
  }
}
