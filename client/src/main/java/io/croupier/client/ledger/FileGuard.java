package io.croupier.client.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Holds the ledger's file itself, besides its {@link LedgerLock}: whoever deletes the lock's file
 * lets another process make and lock a new one, but that process can't lock the ledger.
 *
 * <p>The channel that holds the lock is used for nothing else, and closed last: POSIX drops a
 * process's lock as soon as it closes any descriptor of the file. Where the file system isn't
 * POSIX's, a lock would keep its own process from writing, and a lock's file that is open can't be
 * replaced; nothing is held there.
 */
final class FileGuard implements Closeable {
  private final FileChannel channel;
  private final Object key;

  private FileGuard(FileChannel channel, Object key) {
    this.channel = channel;
    this.key = key;
  }

  /**
   * Holds a file that nobody else has opened yet.
   *
   * @param channel on it, which now belongs to the guard
   * @throws FileSystemException if another process holds it
   */
  static FileGuard ofNew(Path path, FileChannel channel) throws IOException {
    if (LedgerFolder.isPosix(path)) {
      lock(path, channel);
    }
    return new FileGuard(channel, attributes(path).fileKey());
  }

  /**
   * Holds a file that is there.
   *
   * @param channel on it, which now belongs to the guard
   * @param before the file's attributes before it was opened
   * @throws FileSystemException if another process holds it, or put another file in its place, or
   *     wrote to it, before this one could lock it
   */
  static FileGuard ofOpened(Path path, FileChannel channel, BasicFileAttributes before)
      throws IOException {
    FileGuard guard = ofNew(path, channel);
    BasicFileAttributes now = attributes(path);
    boolean isSame =
        before.size() == now.size()
            && before.lastModifiedTime().equals(now.lastModifiedTime())
            && (before.fileKey() == null || before.fileKey().equals(now.fileKey()));
    if (!isSame) {
      throw LedgerLock.isHeld(path);
    }
    return guard;
  }

  private static void lock(Path path, FileChannel channel) throws IOException {
    try {
      if (channel.tryLock() == null) {
        throw LedgerLock.isHeld(path);
      }
    } catch (OverlappingFileLockException e) {
      throw LedgerLock.isHeld(path);
    }
  }

  static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class);
  }

  /**
   * Checks that the file still has its name: otherwise another process may have opened the one that
   * has it. Costs a look at the folder.
   *
   * @throws FileSystemException if it hasn't
   */
  void requireName(Path path) throws IOException {
    if (key != null && !(Files.exists(path) && key.equals(attributes(path).fileKey()))) {
      throw new FileSystemException(
          path.toString(),
          null,
          "the ledger was deleted or replaced while it was open; it must stay where it is");
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
