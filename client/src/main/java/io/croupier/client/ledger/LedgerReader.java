package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Reads a ledger's file, and distinguishes an unfinished end from damage.
 *
 * <p>A report is sent only after the commit marker after its entry is durable, and the commit
 * marker is written only after the entry was forced to the disk. So if an entry is unreadable and
 * no commit marker follows anywhere in the file, no report from there on was ever sent: a crash
 * truncated the entry, and it may be dropped. Marks of settled reports may be dropped with it,
 * since those reports are then sent again unchanged. If a commit marker does follow, the entry was
 * once complete, and the file is damaged.
 *
 * <p>A complete last entry without commit marker counts: it is charged, and its report, which was
 * drawn but never sent, is kept.
 */
final class LedgerReader {
  private static final int WINDOW_BYTES = 1 << 16;

  private final Path path;
  private final FileChannel channel;
  private final long size;

  LedgerReader(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    size = channel.size();
  }

  /**
   * The readable part of a file.
   *
   * @param end position after its last complete entry
   * @param lacksMarker whether a report's entry without commit marker ends there
   */
  record Extent(long end, boolean lacksMarker) {}

  /**
   * @throws CorruptLedgerException if there is none; a file is renamed only after its header is
   *     complete
   */
  Header readHeader() throws IOException {
    Header header = Header.parse(read(0, (int) Math.min(size, Header.MAX_BYTES)));
    if (header == null) {
      throw new CorruptLedgerException(path, 0, "the header of a ledger is missing");
    }
    return header;
  }

  /**
   * Reads entry by entry.
   *
   * @param taker receives each entry, and returns false if it contradicts earlier ones
   * @throws CorruptLedgerException if an entry is damaged or contradicts earlier ones
   */
  Extent readEntries(Header header, Predicate<LedgerEntry> taker) throws IOException {
    CommitMarker marker = new CommitMarker(header);
    long position = header.toBytes().remaining();
    int carried = 0;
    while (position < size) {
      LedgerEntry entry = readEntry(position);
      if (entry == null) {
        requireAll(header, carried, position);
        requireNoMarker(marker, position);
        return new Extent(position, false);
      }
      boolean mayBeCarried = carried < header.carried();
      if (entry.kind() == LedgerEntry.EntryKind.CARRIED != mayBeCarried || !taker.test(entry)) {
        throw new CorruptLedgerException(path, position, "an entry contradicts earlier ones");
      }
      carried += mayBeCarried ? 1 : 0;
      position += LedgerEntry.HEAD_BYTES + entry.bodyBytes();
      if (entry.kind().isReport()) {
        if (!hasMarker(marker, position)) {
          requireAll(header, carried, position);
          requireNoMarker(marker, position);
          return new Extent(position, true);
        }
        position += CommitMarker.BYTES;
      }
    }
    requireAll(header, carried, position);
    return new Extent(position, false);
  }

  /** A file that carries reports over contained all of them when it was renamed. */
  private void requireAll(Header header, int carried, long position) throws CorruptLedgerException {
    if (carried < header.carried()) {
      throw new CorruptLedgerException(
          path, position, "a report that the file carries over is missing");
    }
  }

  /** The entry at a position, or null if there is no complete one. */
  private LedgerEntry readEntry(long position) throws IOException {
    long left = size - position;
    if (left < LedgerEntry.HEAD_BYTES) {
      return null;
    }
    LedgerEntry entry = LedgerEntry.parseHead(read(position, LedgerEntry.HEAD_BYTES));
    if (entry == null || left - LedgerEntry.HEAD_BYTES < entry.bodyBytes()) {
      return null;
    }
    boolean isWhole =
        !entry.kind().isReport()
            || entry.parseReport(read(position + LedgerEntry.HEAD_BYTES, entry.bodyBytes()));
    return isWhole ? entry : null;
  }

  private boolean hasMarker(CommitMarker marker, long position) throws IOException {
    return size - position >= CommitMarker.BYTES
        && marker.isAt(read(position, CommitMarker.BYTES), 0, position);
  }

  private void requireNoMarker(CommitMarker marker, long broken) throws IOException {
    // Windows overlap by the size of a commit marker minus one byte.
    int step = WINDOW_BYTES - CommitMarker.BYTES + 1;
    for (long from = broken; size - from >= CommitMarker.BYTES; from += step) {
      ByteBuffer window = read(from, (int) Math.min(size - from, WINDOW_BYTES));
      for (int i = 0; i <= window.limit() - CommitMarker.BYTES; i++) {
        if (marker.isAt(window, i, from + i)) {
          throw new CorruptLedgerException(path, broken, "an entry is damaged");
        }
      }
    }
  }

  private ByteBuffer read(long position, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, position + bytes.position()) < 0) {
        throw new IOException("the ledger was truncated while it was read");
      }
    }
    return bytes.flip();
  }
}
