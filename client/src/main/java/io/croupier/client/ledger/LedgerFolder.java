package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

  /** The folder's real path, so that a ledger has one lock, by whatever path it is opened. */
  LedgerFolder(Path path, Disk disk) throws IOException {
    folder = path.toAbsolutePath().getParent().toRealPath();
    file = folder.resolve(path.getFileName());
    draft = beside(".new");
    this.disk = disk;
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

  LedgerLock lock() throws IOException {
    return LedgerLock.take(beside(".lock"), disk);
  }

  /** Deletes what a crash left: it never got its name, so nothing depends on it. */
  void deleteDraft() throws IOException {
    if (Files.exists(draft)) {
      disk.delete(draft);
    }
  }

  /**
   * Has the file consist of {@code parts}, in one step: it is as before, or whole and durable. No
   * channel on the file may be open.
   */
  void place(List<ByteBuffer> parts) throws IOException {
    try (FileChannel channel =
        disk.open(
            draft,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ownerOnly(draft))) {
      long end = 0;
      for (ByteBuffer part : parts) {
        end = writeAt(channel, part, end);
      }
      channel.force(true);
    }
    disk.move(draft, file);
    force();
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

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
