package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * How often which data were charged and reported, by their digests. Nothing is ever forgotten: a
 * request for a token must not depend on whether an earlier token of the data had its report.
 */
final class ReportedData {
  private static final int BYTES = LedgerSecret.DATA_BYTES + 2 * Integer.BYTES;

  /**
   * The counts of data.
   *
   * @param charged reports and tokens that were charged for them
   * @param reported reports of them, also by tokens that were charged for other data
   */
  record DataCounts(int charged, int reported) {
    private static final DataCounts NONE = new DataCounts(0, 0);
    static final DataCounts TOKEN = new DataCounts(1, 0);
    static final DataCounts DRAWN = new DataCounts(0, 1);
    static final DataCounts REPORT = new DataCounts(1, 1);

    private DataCounts plus(DataCounts more) {
      return new DataCounts(
          Math.addExact(charged, more.charged), Math.addExact(reported, more.reported));
    }

    int most() {
      return Math.max(charged, reported);
    }
  }

  private final Map<ByteString, DataCounts> counts = new HashMap<>();

  DataCounts of(ByteString data) {
    return counts.getOrDefault(data, DataCounts.NONE);
  }

  void add(ByteString data, DataCounts more) {
    if (!data.equals(LedgerEntry.UNKNOWN_DATA)) {
      counts.merge(data, more, DataCounts::plus);
    }
  }

  boolean isEmpty() {
    return counts.isEmpty();
  }

  /** Of each data the digest, and each count in four bytes. */
  byte[] encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(BYTES, counts.size()));
    counts.forEach(
        (data, count) ->
            bytes
                .put(data.asReadOnlyByteBuffer())
                .putInt(count.charged())
                .putInt(count.reported()));
    return bytes.array();
  }

  /** Takes {@link #encoded} bytes, before any other data; false if they are malformed. */
  boolean take(byte[] encoded) {
    ByteBuffer bytes = ByteBuffer.wrap(encoded);
    boolean isSound = counts.isEmpty() && encoded.length % BYTES == 0;
    while (isSound && bytes.hasRemaining()) {
      byte[] data = new byte[LedgerSecret.DATA_BYTES];
      bytes.get(data);
      DataCounts count = new DataCounts(bytes.getInt(), bytes.getInt());
      isSound =
          Math.min(count.charged(), count.reported()) >= 0
              && count.most() > 0
              && counts.put(ByteString.copyFrom(data), count) == null;
    }
    return isSound;
  }
}
