package io.croupier.client.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks a ledger against other processes, and against a second opening in this one. Its file may be
 * deleted while it is held; therefore {@link FileGuard} locks the ledger's file itself, too.
 */
final class LedgerLock implements Closeable {
  /**
   * POSIX releases a process's lock as soon as it closes any descriptor of the file. So a second
   * opening in this process must be refused before it opens one.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;

  private LedgerLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * @param path path of the file to lock, whose folder is a real path; the file is created if it
   *     doesn't exist
   * @throws FileSystemException if it is held already
   */
  static LedgerLock take(Path path, Disk disk) throws IOException {
    if (!HELD.add(path)) {
      throw isHeld(path);
    }
    FileChannel channel = null;
    try {
      channel =
          disk.open(
              path,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              LedgerFolder.ownerOnly(path));
      if (channel.tryLock() == null) {
        throw isHeld(path);
      }
      return new LedgerLock(path, channel);
    } catch (IOException | RuntimeException | Error e) {
      try {
        if (channel != null) {
          channel.close();
        }
      } finally {
        HELD.remove(path);
      }
      throw e;
    }
  }

  static FileSystemException isHeld(Path path) {
    return new FileSystemException(
        path.toString(), null, "the ledger is already open; it can be open only once");
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(path);
    }
  }
}
