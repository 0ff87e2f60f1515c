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
 * Holds a ledger against other processes, and against other openers in this one. Its file may be
 * deleted while it is held: {@link FileGuard} holds the ledger's own.
 */
final class LedgerLock implements Closeable {
  /**
   * POSIX drops a process's lock as soon as it closes any descriptor of the file. So a second
   * opener in this process must be turned away before it opens one.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;

  private LedgerLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * @param path of the file to lock, which is made if there is none; in a folder's real path
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
        path.toString(), null, "the ledger is open already; only one opener may be at work");
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
