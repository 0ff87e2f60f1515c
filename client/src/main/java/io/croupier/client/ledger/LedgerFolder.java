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
 * Where a ledger's file lies, and beside it its lock, {@code <name>.lock}, and what is to take its
 * place, {@code <name>.new}. All are readable and writable by their owner alone.
 */
final class LedgerFolder {
  private final Path folder;
  private final Path file;
  private final Path draft;
  private final Disk disk;

  /**
   * Follows links, also where the file itself is one: by whatever path a ledger is opened, it has
   * one lock, and a file that takes its place takes that of the file, not of a link to it.
   *
   * @throws FileSystemException if the path is a link to nothing
   */
  LedgerFolder(Path path, Disk disk) throws IOException {
    file = real(path.toAbsolutePath());
    folder = file.getParent();
    draft = beside(".new");
    this.disk = disk;
  }

  private static Path real(Path path) throws IOException {
    if (Files.exists(path)) {
      return path.toRealPath();
    }
    if (Files.isSymbolicLink(path)) {
      // A new ledger here would forget what the one that is out of reach has spent.
      throw new FileSystemException(
          path.toString(),
          null,
          "the ledger is a link to "
              + Files.readSymbolicLink(path)
              + ", which can't be found; it must lead to a file");
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
   * A file with several names (hard links) has as many locks, and one that takes its place gets
   * only one of the names. Where the file system doesn't tell, nothing is refused.
   */
  void requireOneName() throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    int names = (Integer) Files.getAttribute(file, "unix:nlink");
    // A folder has several by nature; that it is no file shows when it is opened.
    if (names > 1 && !Files.isDirectory(file)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the ledger has "
              + names
              + " names (hard links); it must have one, as the others would keep what is out of date");
    }
  }

  LedgerLock lock() throws IOException {
    return LedgerLock.take(beside(".lock"), disk);
  }

  /**
   * Holds the file that is there.
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

  /** Whether a file may take the place of one that is open. */
  boolean replacesOpenFiles() {
    return isPosix(file);
  }

  /** Deletes what a crash left: it never got its name, so nothing depends on it. */
  void deleteDraft() throws IOException {
    if (Files.exists(draft)) {
      disk.delete(draft);
    }
  }

  /**
   * Has the file consist of {@code parts}, in one step: it is as before, or whole and durable. No
   * channel on the file may be open where {@link #replacesOpenFiles} says no.
   *
   * @return holds the new file, which nobody else could open before
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
              "the ledger can't be written anew ("
                  + e.getReason()
                  + "); if its file alone is mounted, its folder must be mounted instead");
      explained.initCause(e);
      throw explained;
    }
  }

  FileChannel open() throws IOException {
    return disk.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  /** Makes names durable. */
  void force() throws IOException {
    // Elsewhere a folder can't be opened.
    if (isPosix(folder)) {
      try (FileChannel channel = disk.open(folder, Set.of(StandardOpenOption.READ))) {
        channel.force(true);
      }
    }
  }

  /** Returns where the bytes end. */
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
