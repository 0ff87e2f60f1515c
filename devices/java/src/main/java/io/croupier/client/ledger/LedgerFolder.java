package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * The folder of a ledger's file, of its lock {@code <name>.lock}, and of its replacement {@code
 * <name>.new} while that is written. All are readable and writable only by their owner.
 */
final class LedgerFolder {
  private final Path folder;
  private final Path file;
  private final Path draft;
  private final Disk disk;

  /**
   * Follows links, including a link to the file itself: a ledger has one lock for all paths that
   * lead to it, and its replacement replaces the file, not a link to it.
   *
   * @throws FileSystemException if the path is a link to nothing, or a directory
   */
  LedgerFolder(Path path, Disk disk) throws IOException {
    file = real(path.toAbsolutePath());
    folder = file.getParent();
    draft = beside(".new");
    this.disk = disk;
  }

  private static Path real(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new FileSystemException(
          path.toString(), null, "the ledger is a directory; it must be a file");
    }
    if (Files.exists(path)) {
      return path.toRealPath();
    }
    if (Files.isSymbolicLink(path)) {
      // A new ledger here would omit the spending of the unreachable one.
      throw new FileSystemException(
          path.toString(),
          null,
          "the ledger is a link to "
              + Files.readSymbolicLink(path)
              + ", which doesn't exist; it must lead to a file");
    }
    return path.getParent().toRealPath().resolve(path.getFileName());
  }

  private Path beside(String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  Path file() {
    return file;
  }

  boolean hasFile() {
    return Files.exists(file);
  }

  /**
   * Refuses a file with several names (hard links): it would have several locks, and its
   * replacement would get only one of the names. If the file system doesn't report the number of
   * names, the file is accepted.
   */
  void requireOneName() throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    int names = (Integer) Files.getAttribute(file, "unix:nlink");
    if (names > 1) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the ledger has "
              + names
              + " names (hard links); it must have one, since the others would keep outdated"
              + " content");
    }
  }

  LedgerLock lock() throws IOException {
    return LedgerLock.take(beside(".lock"), disk);
  }

  /**
   * Locks the existing file.
   *
   * @throws FileSystemException if another process holds it
   */
  FileGuard guard() throws IOException {
    BasicFileAttributes before = FileGuard.attributes(file);
    FileChannel channel = open();
    try {
      return FileGuard.ofOpened(file, channel, before);
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  /** Whether the file system can replace an open file. */
  boolean replacesOpenFiles() {
    return isPosix(file);
  }

  /**
   * Deletes a draft that a crash left; it was never renamed, so it contains nothing that is needed.
   */
  void deleteDraft() throws IOException {
    if (Files.exists(draft)) {
      disk.delete(draft);
    }
  }

  /**
   * Replaces the file's content by {@code parts} atomically: a crash leaves the old content, or the
   * new one, complete and durable. If {@link #replacesOpenFiles} is false, no channel of the file
   * may be open.
   *
   * @return the lock on the new file, which no other process could open before
   */
  FileGuard place(List<ByteBuffer> parts) throws IOException {
    FileChannel channel =
        disk.open(
            draft,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ownerOnly(draft));
    try {
      FileGuard guard = FileGuard.ofNew(draft, channel);
      long end = 0;
      for (ByteBuffer part : parts) {
        end = writeAt(channel, part, end);
      }
      channel.force(true);
      if (!replacesOpenFiles()) {
        channel.close();
      }
      takePlace();
      force();
      guard.requireName(file);
      return guard;
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private void takePlace() throws IOException {
    try {
      disk.move(draft, file);
    } catch (FileSystemException e) {
      FileSystemException explained =
          new FileSystemException(
              file.toString(),
              null,
              "the ledger can't be replaced by a new file ("
                  + e.getReason()
                  + "); if only its file is mounted, mount its folder instead");
      explained.initCause(e);
      throw explained;
    }
  }

  FileChannel open() throws IOException {
    return disk.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  /** Makes names durable. */
  void force() throws IOException {
    // On other file systems a folder can't be opened.
    if (isPosix(folder)) {
      try (FileChannel channel = disk.open(folder, Set.of(StandardOpenOption.READ))) {
        channel.force(true);
      }
    }
  }

  /** Writes all bytes at a position, and returns the position after them. */
  static long writeAt(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
    long next = position;
    while (bytes.hasRemaining()) {
      next += channel.write(bytes, next);
    }
    return next;
  }

  static FileAttribute<?>[] ownerOnly(Path path) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
