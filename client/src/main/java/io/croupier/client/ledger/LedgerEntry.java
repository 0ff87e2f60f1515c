package io.croupier.client.ledger;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One line of the ledger. As bytes, big-endian:
 *
 * <pre>
 *  0  kind            1
 *  1  sequence        8
 *  9  epsilonNanos    8   cost of the report; 0 in a mark, or where it is carried over
 * 17  muSquaredPicos  8
 * 25  size            4   of the report; 0 in a mark
 * 29  CRC-32C         4   of all above
 * 33  report          size
 *     CRC-32C         4   of the report; only if there is one
 * </pre>
 *
 * The head has its own checksum, so that readers can rely on its size.
 */
final class LedgerEntry {
  static final int HEAD_BYTES = 33;
  static final int CHECKSUM_BYTES = Integer.BYTES;

  /** Numbers are part of the format. */
  enum EntryKind {
    /** A charge and the report that it pays for. */
    DISCLOSED(1),
    /** The same, where the report doesn't disclose its noise. */
    UNDISCLOSED(2),
    /** A mark: the report arrived. */
    ACKNOWLEDGED(3),
    /** A mark: the broker refused the report permanently. */
    REFUSED(4),
    /** {@link #DISCLOSED}, where the actual cost may exceed the recorded one. */
    UNBOUNDED(5),
    /** {@link #UNDISCLOSED}, where the actual cost may exceed the recorded one. */
    UNDISCLOSED_UNBOUNDED(6),
    /** A report carried over from an earlier file; the header includes its charge. */
    CARRIED(7);

    private final byte code;

    EntryKind(int code) {
      this.code = (byte) code;
    }

    boolean isReport() {
      return this != ACKNOWLEDGED && this != REFUSED;
    }

    private static EntryKind of(Spent cost) {
      if (cost.unbounded() > 0) {
        return cost.undisclosed() > 0 ? UNDISCLOSED_UNBOUNDED : UNBOUNDED;
      }
      return cost.undisclosed() > 0 ? UNDISCLOSED : DISCLOSED;
    }

    private static EntryKind of(byte code) {
      for (EntryKind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  private final EntryKind kind;
  private final long sequence;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final int size;
  private byte[] report = {};

  private LedgerEntry(
      EntryKind kind, long sequence, long epsilonNanos, long muSquaredPicos, int size) {
    this.kind = kind;
    this.sequence = sequence;
    this.epsilonNanos = epsilonNanos;
    this.muSquaredPicos = muSquaredPicos;
    this.size = size;
  }

  static LedgerEntry report(long sequence, Spent cost, byte[] report) {
    LedgerEntry entry =
        new LedgerEntry(
            EntryKind.of(cost),
            sequence,
            cost.epsilonNanos(),
            cost.muSquaredPicos(),
            report.length);
    entry.report = report;
    return entry;
  }

  static LedgerEntry carried(StoredReport report) {
    LedgerEntry entry =
        new LedgerEntry(EntryKind.CARRIED, report.sequence(), 0, 0, report.bytes().length);
    entry.report = report.bytes();
    return entry;
  }

  static LedgerEntry mark(EntryKind kind, long sequence) {
    return new LedgerEntry(kind, sequence, 0, 0, 0);
  }

  /** Reads a head, without the report; null if the bytes are not a head. */
  static LedgerEntry parseHead(ByteBuffer head) {
    int start = head.position();
    byte code = head.get();
    long sequence = head.getLong();
    long epsilonNanos = head.getLong();
    long muSquaredPicos = head.getLong();
    int size = head.getInt();
    boolean isWhole =
        head.getInt()
            == checksum(head.duplicate().limit(head.position() - CHECKSUM_BYTES).position(start));
    EntryKind kind = EntryKind.of(code);
    boolean isSound =
        isWhole
            && kind != null
            && sequence >= 0
            && epsilonNanos >= 0
            && muSquaredPicos >= 0
            && (kind.isReport() ? size > 0 : size == 0);
    return isSound ? new LedgerEntry(kind, sequence, epsilonNanos, muSquaredPicos, size) : null;
  }

  /** Reads the rest of a report's entry; false if its checksum is wrong. */
  boolean parseReport(ByteBuffer body) {
    byte[] bytes = new byte[size];
    body.get(bytes);
    if (body.getInt() != checksum(ByteBuffer.wrap(bytes))) {
      return false;
    }
    report = bytes;
    return true;
  }

  ByteBuffer toBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(Math.addExact(HEAD_BYTES, bodyBytes()));
    bytes
        .put(kind.code)
        .putLong(sequence)
        .putLong(epsilonNanos)
        .putLong(muSquaredPicos)
        .putInt(size);
    bytes.putInt(checksum(bytes.duplicate().flip()));
    if (kind.isReport()) {
      bytes.put(report).putInt(checksum(ByteBuffer.wrap(report)));
    }
    return bytes.flip();
  }

  static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  EntryKind kind() {
    return kind;
  }

  long sequence() {
    return sequence;
  }

  Spent cost() {
    boolean undisclosed = kind == EntryKind.UNDISCLOSED || kind == EntryKind.UNDISCLOSED_UNBOUNDED;
    boolean unbounded = kind == EntryKind.UNBOUNDED || kind == EntryKind.UNDISCLOSED_UNBOUNDED;
    return new Spent(1, epsilonNanos, muSquaredPicos, undisclosed ? 1 : 0, unbounded ? 1 : 0);
  }

  byte[] report() {
    return report;
  }

  /** Number of bytes after the head. */
  int bodyBytes() {
    return kind.isReport() ? Math.addExact(size, CHECKSUM_BYTES) : 0;
  }
}
