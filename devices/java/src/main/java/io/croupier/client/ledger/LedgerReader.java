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
  FileHeader readHeader() throws IOException {
    FileHeader header =
        LedgerFormat.parseHeader(read(0, (int) Math.min(size, LedgerFormat.MOST_HEADER_BYTES)));
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
  Extent readEntries(FileHeader header, Predicate<LedgerEntry> taker) throws IOException {
    LedgerFormat format = new LedgerFormat(header);
    long position = format.headerBytes();
    int carried = 0;
    while (position < size) {
      LedgerEntry entry = readEntry(format, position);
      if (entry == null) {
        requireAll(header, carried, position);
        requireNoMarker(format, position);
        return new Extent(position, false);
      }
      boolean mayBeCarried = carried < header.carried();
      if (entry.kind().isCarried() != mayBeCarried || !taker.test(entry)) {
        throw new CorruptLedgerException(path, position, "an entry contradicts earlier ones");
      }
      carried += mayBeCarried ? 1 : 0;
      position += format.entryBytes(entry);
      if (entry.kind().hasContent()) {
        if (!hasMarker(format, position)) {
          requireAll(header, carried, position);
          requireNoMarker(format, position);
          return new Extent(position, true);
        }
        position += LedgerFormat.MARKER_BYTES;
      }
    }
    requireAll(header, carried, position);
    return new Extent(position, false);
  }

  /** A file that carries entries over contained all of them when it was renamed. */
  private void requireAll(FileHeader header, int carried, long position)
      throws CorruptLedgerException {
    if (carried < header.carried()) {
      throw new CorruptLedgerException(
          path, position, "an entry that the file carries over is missing");
    }
  }

  /** The entry at a position, or null if there is no complete one. */
  private LedgerEntry readEntry(LedgerFormat format, long position) throws IOException {
    long left = size - position;
    if (left < LedgerFormat.HEAD_BYTES) {
      return null;
    }
    long length = format.entryBytes(read(position, LedgerFormat.HEAD_BYTES));
    return length == 0 || left < length
        ? null
        : format.parseEntry(read(position, Math.toIntExact(length)));
  }

  private boolean hasMarker(LedgerFormat format, long position) throws IOException {
    return size - position >= LedgerFormat.MARKER_BYTES
        && format.hasMarker(read(position, LedgerFormat.MARKER_BYTES), 0, position);
  }

  private void requireNoMarker(LedgerFormat format, long broken) throws IOException {
    // Windows overlap by the size of a commit marker minus one byte.
    int step = WINDOW_BYTES - LedgerFormat.MARKER_BYTES + 1;
    for (long from = broken; size - from >= LedgerFormat.MARKER_BYTES; from += step) {
      ByteBuffer window = read(from, (int) Math.min(size - from, WINDOW_BYTES));
      for (int i = 0; i <= window.limit() - LedgerFormat.MARKER_BYTES; i++) {
        if (format.hasMarker(window, i, from + i)) {
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
    return LedgerFormat.flipped(bytes);
  }
}
