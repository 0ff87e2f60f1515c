package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** The operations of the file system that a ledger uses; tests substitute them. */
interface Disk {
  /** The file system itself. */
  Disk REAL =
      new Disk() {
        @Override
        public FileChannel open(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
          return FileChannel.open(path, options, attributes);
        }

        @Override
        public void move(Path from, Path to) throws IOException {
          Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void delete(Path path) throws IOException {
          Files.delete(path);
        }
      };

  /** Opens a file, or a folder in order to force it. */
  FileChannel open(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException;

  /** Renames a file within its folder atomically, and replaces an existing file of the new name. */
  void move(Path from, Path to) throws IOException;

  void delete(Path path) throws IOException;
}
