package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** All that a ledger asks of the file system, where a test may come between. */
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

  /** Opens a file or, to force it, a folder. */
  FileChannel open(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException;

  /** Gives a file another's name in the same folder, in one step; the other is gone then. */
  void move(Path from, Path to) throws IOException;

  void delete(Path path) throws IOException;
}
