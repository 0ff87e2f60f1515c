package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.LedgerEntry.EntryKind;
import io.croupier.schemas.GradientReports;
import java.nio.Buffer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The bytes of a ledger's file: a header, then entries, each of which ends with a commit marker if
 * it contains a report or a token. Numbers are big-endian; sizes and positions are in bytes.
 *
 * <pre>
 * header          bytes
 *   "CROUPIER"       8
 *   version          4   3
 *   size             4
 *   user_id       size   UTF-8
 *   size             4
 *   device_id     size   UTF-8
 *   secret          32   {@link LedgerSecret}
 *   reports          8   what was spent before the file's first entry,
 *   epsilonNanos     8   reports that it carries over included
 *   muSquaredPicos   8
 *   undisclosed      8
 *   unbounded        8
 *   carried          4   how many entries it carries over
 *   CRC-32C          4   of all above
 *
 * entry
 *   kind             1   {@link EntryKind}
 *   sequence         8
 *   epsilonNanos     8   cost of the report; 0 in a mark, or where it is carried over
 *   muSquaredPicos   8
 *   size             4   of data and content; 0 in a mark
 *   CRC-32C          4   of all above, so that readers can rely on the size
 *   data            16   digest of the data, of a report or token, unless it is a report carried over
 *   content         ..   a report, a token in one of its states, or {@link ReportedData}; not in a
 *                        mark, like all that follows
 *   CRC-32C          4   of data and content
 *
 * commit marker
 *   magic number     4   5EA1C40B
 *   position         8   of the marker in the file
 *   CRC-32C          4   of all above and of the CRC-32C (4) of the whole header
 * </pre>
 *
 * Version 1 of the header has no fields between device_id and checksum.
 *
 * <p>Entries of version 2 and 1 have no data. A file of these versions is rewritten when it is
 * opened.
 *
 * <p>An instance has the header of one file, on which its entries and commit markers depend.
 */
final class LedgerFormat {
  private static final long HEADER_MAGIC = ByteBuffer.wrap("CROUPIER".getBytes(UTF_8)).getLong();
  static final int VERSION = 3;
  private static final int FIRST_VERSION = 1;
  private static final int FIRST_VERSION_WITH_TOTALS = 2;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int MARKER_MAGIC = 0x5EA1_C40B;

  static final int MOST_HEADER_BYTES =
      8
          + 4
          + 2 * (4 + GradientReports.MAX_ID_BYTES)
          + LedgerSecret.SECRET_BYTES
          + 5 * 8
          + 4
          + CHECKSUM_BYTES;

  /** Number of bytes of an entry before its report. */
  static final int HEAD_BYTES = 33;

  static final int MARKER_BYTES = 16;

  private final ByteBuffer header;
  private final boolean hasData;
  private final int headerChecksum;

  LedgerFormat(FileHeader header) {
    this.header = toBytes(header);
    hasData = header.isCurrent();
    headerChecksum = Castagnoli.checksum(this.header, this.header.remaining());
  }

  ByteBuffer header() {
    return header.duplicate();
  }

  int headerBytes() {
    return header.remaining();
  }

  private static ByteBuffer toBytes(FileHeader header) {
    ByteBuffer bytes = ByteBuffer.allocate(MOST_HEADER_BYTES);
    bytes.putLong(HEADER_MAGIC).putInt(header.version());
    putId(bytes, header.userId());
    putId(bytes, header.deviceId());
    if (header.version() >= FIRST_VERSION_WITH_TOTALS) {
      header.secret().copyTo(bytes);
      Spent opening = header.opening();
      bytes
          .putLong(opening.reports())
          .putLong(opening.epsilonNanos())
          .putLong(opening.muSquaredPicos())
          .putLong(opening.undisclosed())
          .putLong(opening.unbounded())
          .putInt(header.carried());
    }
    return flipped(putChecksum(bytes));
  }

  private static void putId(ByteBuffer bytes, String id) {
    byte[] utf8 = id.getBytes(UTF_8);
    bytes.putInt(utf8.length).put(utf8);
  }

  /** Reads the header at the start of {@code bytes}; null if there is none. */
  static FileHeader parseHeader(ByteBuffer bytes) {
    try {
      if (bytes.getLong() != HEADER_MAGIC) {
        return null;
      }
      int version = bytes.getInt();
      if (version < FIRST_VERSION || version > VERSION) {
        return null;
      }
      String userId = getId(bytes);
      String deviceId = getId(bytes);
      FileHeader header =
          version >= FIRST_VERSION_WITH_TOTALS
              ? new FileHeader(
                  userId, deviceId, getSecret(bytes), getSpent(bytes), bytes.getInt(), version)
              : new FileHeader(
                  userId, deviceId, LedgerSecret.newSecret(), Spent.NOTHING, 0, version);
      return endsWithChecksum(bytes) ? header : null;
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

  private static ByteString getSecret(ByteBuffer bytes) {
    byte[] secret = new byte[LedgerSecret.SECRET_BYTES];
    bytes.get(secret);
    return ByteString.copyFrom(secret);
  }

  private static Spent getSpent(ByteBuffer bytes) {
    return new Spent(
        bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  ByteBuffer entry(LedgerEntry entry) {
    ByteBuffer bytes = ByteBuffer.allocate(entryBytes(entry));
    bytes
        .put(entry.kind().code())
        .putLong(entry.sequence())
        .putLong(entry.epsilonNanos())
        .putLong(entry.muSquaredPicos())
        .putInt(dataBytes(entry.kind()) + entry.content().length);
    putChecksum(bytes);
    if (entry.kind().hasContent()) {
      entry.data().copyTo(bytes);
      bytes.put(entry.content()).putInt(checksum(bytes));
    }
    return flipped(bytes);
  }

  /** Number of bytes of an entry, without its commit marker. */
  int entryBytes(LedgerEntry entry) {
    return entry.kind().hasContent()
        ? Math.addExact(
            HEAD_BYTES + dataBytes(entry.kind()) + CHECKSUM_BYTES, entry.content().length)
        : HEAD_BYTES;
  }

  private int dataBytes(EntryKind kind) {
    return hasData && kind.hasData() ? LedgerSecret.DATA_BYTES : 0;
  }

  /** The same, of the entry with a head; 0 if the bytes are not a head. */
  long entryBytes(ByteBuffer head) {
    EntryKind kind = EntryKind.of(head.get());
    long sequence = head.getLong();
    long epsilonNanos = head.getLong();
    long muSquaredPicos = head.getLong();
    int size = head.getInt();
    boolean isSound =
        endsWithChecksum(head)
            && kind != null
            && sequence >= 0
            && epsilonNanos >= 0
            && muSquaredPicos >= 0
            && (kind.hasContent() ? size > dataBytes(kind) : size == 0);
    if (!isSound) {
      return 0;
    }
    return kind.hasContent() ? HEAD_BYTES + (long) size + CHECKSUM_BYTES : HEAD_BYTES;
  }

  /** Reads an entry whose head is complete; null if the checksum of its content is wrong. */
  LedgerEntry parseEntry(ByteBuffer bytes) {
    EntryKind kind = EntryKind.of(bytes.get());
    long sequence = bytes.getLong();
    long epsilonNanos = bytes.getLong();
    long muSquaredPicos = bytes.getLong();
    byte[] data = new byte[dataBytes(kind)];
    byte[] content = new byte[bytes.getInt() - data.length];
    ((Buffer) bytes).position(HEAD_BYTES);
    bytes.get(data);
    bytes.get(content);
    if (kind.hasContent()) {
      int checksum = checksum(bytes);
      if (bytes.getInt() != checksum) {
        return null;
      }
    }
    ByteString digest =
        kind.hasData() && !hasData ? LedgerEntry.UNKNOWN_DATA : ByteString.copyFrom(data);
    return new LedgerEntry(kind, sequence, epsilonNanos, muSquaredPicos, digest, content);
  }

  /** The commit marker for a position in the file. */
  ByteBuffer marker(long position) {
    ByteBuffer marker = ByteBuffer.allocate(MARKER_BYTES).putInt(MARKER_MAGIC).putLong(position);
    return flipped(marker.putInt(markerChecksum(position)));
  }

  /** Whether {@code bytes} have at {@code index} the commit marker for a position in the file. */
  boolean hasMarker(ByteBuffer bytes, int index, long position) {
    return bytes.getInt(index) == MARKER_MAGIC
        && bytes.getLong(index + 4) == position
        && bytes.getInt(index + 12) == markerChecksum(position);
  }

  private int markerChecksum(long position) {
    ByteBuffer summed = ByteBuffer.allocate(16).putInt(MARKER_MAGIC).putLong(position);
    summed.putInt(headerChecksum);
    return Castagnoli.checksum(summed, summed.position());
  }

  private static ByteBuffer putChecksum(ByteBuffer bytes) {
    return bytes.putInt(Castagnoli.checksum(bytes, bytes.position()));
  }

  /** Reads a checksum; whether it is that of all bytes before it. */
  private static boolean endsWithChecksum(ByteBuffer bytes) {
    int checksum = Castagnoli.checksum(bytes, bytes.position());
    return bytes.getInt() == checksum;
  }

  /** Of an entry's bytes from its head to the position. */
  private static int checksum(ByteBuffer entry) {
    return Castagnoli.checksum(entry, HEAD_BYTES, entry.position());
  }

  /** Of Android 13, {@code flip} is declared by Buffer alone. */
  static ByteBuffer flipped(Buffer bytes) {
    return (ByteBuffer) bytes.flip();
  }
}
