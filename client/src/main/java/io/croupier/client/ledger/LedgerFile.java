package io.croupier.client.ledger;

import io.croupier.client.ledger.LedgerReader.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a ledger: a {@link Header}, then one {@link Entry} after the other, and behind every
 * one that holds a report a {@link Seal}. Nothing in it is ever changed.
 *
 * <p>A file appears under its name whole: it is written as {@code <name>.new}, forced, and renamed.
 * A report's entry is written, forced, sealed and forced again before {@link #append} returns.
 * Marks are not forced: without one, the same bytes are sent again, which costs nothing.
 */
final class LedgerFile implements Journal {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerFile.class);

  private final LedgerLock lock;
  private final FileChannel channel;
  private final Header header;
  private final Seal seal;
  private long end;
  private boolean usable = true;

  private LedgerFile(LedgerLock lock, FileChannel channel, Header header) {
    this.lock = lock;
    this.channel = channel;
    this.header = header;
    seal = new Seal(header);
  }

  /**
   * Opens a ledger's file, or makes a new one for {@code userId}, and repairs what a crash left
   * unfinished.
   *
   * @param taker gets the entries; false: it contradicts those before
   */
  static LedgerFile open(Path path, String userId, Channels channels, Predicate<Entry> taker)
      throws IOException {
    Path folder = path.toAbsolutePath().getParent().toRealPath();
    Path file = folder.resolve(path.getFileName());
    LedgerLock lock = LedgerLock.take(beside(file, ".lock"), channels);
    FileChannel channel = null;
    try {
      if (Files.notExists(file)) {
        create(file, new Header(userId, UUID.randomUUID().toString()), channels);
      }
      // Also if an earlier process made it: that one may have come no further.
      forceFolder(folder, channels);
      channel = channels.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
      LedgerReader reader = new LedgerReader(file, channel);
      LedgerFile opened = new LedgerFile(lock, channel, reader.readHeader());
      if (!opened.header.userId().equals(userId)) {
        throw new IllegalArgumentException(
            "userId is not the one that the ledger " + file + " was made for; it must be");
      }
      opened.repair(file, reader.readEntries(opened.header, taker));
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      try {
        if (channel != null) {
          channel.close();
        }
      } finally {
        lock.close();
      }
      throw e;
    }
  }

  private static void create(Path file, Header header, Channels channels) throws IOException {
    // Left by a crash: it never had its name, so nothing was sent under its device_id.
    Path draft = beside(file, ".new");
    Files.deleteIfExists(draft);
    try (FileChannel channel =
        channels.open(
            draft,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ownerOnly(draft))) {
      writeAt(channel, header.toBytes(), 0);
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void forceFolder(Path folder, Channels channels) throws IOException {
    // Elsewhere a folder can't be opened.
    if (isPosix(folder)) {
      try (FileChannel channel = channels.open(folder, Set.of(StandardOpenOption.READ))) {
        channel.force(true);
      }
    }
  }

  private static Path beside(Path file, String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  static FileAttribute<?>[] ownerOnly(Path path) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private void repair(Path file, Extent good) throws IOException {
    end = good.end();
    long unfinished = channel.size() - end;
    if (unfinished == 0 && !good.lacksSeal()) {
      return;
    }
    LOG.info(
        "{} ends with an entry that a crash cut short: {} bytes dropped, none of them ever sent",
        file,
        unfinished);
    channel.force(false);
    channel.truncate(end);
    if (good.lacksSeal()) {
      write(seal.at(end));
    }
    channel.force(false);
  }

  String deviceId() {
    return header.deviceId();
  }

  /**
   * {@inheritDoc}
   *
   * <p>After a failure nothing may be appended: what the disk holds is known when it is read again.
   */
  @Override
  public void append(Entry entry) throws IOException {
    if (!usable) {
      throw new IOException("the ledger could not be written before; it must be opened again");
    }
    usable = false;
    write(entry.toBytes());
    if (entry.kind().isReport()) {
      channel.force(false);
      write(seal.at(end));
      channel.force(false);
    }
    usable = true;
  }

  private void write(ByteBuffer bytes) throws IOException {
    end = writeAt(channel, bytes, end);
  }

  private static long writeAt(FileChannel channel, ByteBuffer bytes, long position)
      throws IOException {
    long next = position;
    while (bytes.hasRemaining()) {
      next += channel.write(bytes, next);
    }
    return next;
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      lock.close();
    }
  }
}
