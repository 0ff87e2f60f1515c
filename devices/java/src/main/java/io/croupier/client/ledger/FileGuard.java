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
 * Locks the ledger's file itself, in addition to its {@link LedgerLock}: if the lock's file is
 * deleted, another process can create and lock a new one, but it can't lock the ledger.
 *
 * <p>The channel with the lock has no other use and is closed last, because POSIX releases a
 * process's locks as soon as it closes any descriptor of the file. On file systems that aren't
 * POSIX, a lock would prevent its own process from writing, and an open file can't be replaced;
 * there this class takes no lock.
 */
final class FileGuard implements Closeable {
  private final FileChannel channel;
  private final Object key;

  private FileGuard(FileChannel channel, Object key) {
    this.channel = channel;
    this.key = key;
  }

  /**
   * Locks a file that no other process has opened yet.
   *
   * @param channel a channel of the file, which the guard now owns
   * @throws FileSystemException if another process holds it
   */
  static FileGuard ofNew(Path path, FileChannel channel) throws IOException {
    if (LedgerFolder.isPosix(path)) {
      lock(path, channel);
    }
    return new FileGuard(channel, attributes(path).fileKey());
  }

  /**
   * Locks an existing file.
   *
   * @param channel a channel of the file, which the guard now owns
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
   * Checks that the name still refers to this file: otherwise another process may have opened a
   * different file of that name. Reads the file's attributes once.
   *
   * @throws FileSystemException if it doesn't
   */
  void requireName(Path path) throws IOException {
    if (key != null && !(Files.exists(path) && key.equals(attributes(path).fileKey()))) {
      throw new FileSystemException(
          path.toString(),
          null,
          "the ledger was deleted or replaced while it was open; its file must stay in place");
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
