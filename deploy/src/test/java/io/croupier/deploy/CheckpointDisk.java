package io.croupier.deploy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where checkpoints are written. If that is a file system of its own that is small, it is filled to
 * the last byte; otherwise a file takes the directory's place meanwhile, so that nothing can be
 * written or read there.
 */
final class CheckpointDisk {
  private static final long SMALL = 1L << 30;
  private static final int BLOCK = 1 << 12;

  private final Path directory;
  private final boolean isSmall;

  /**
   * Checkpoints of a cluster that doesn't run yet.
   *
   * @param elsewhere a directory on a file system of its own; null for the cluster's own directory
   */
  CheckpointDisk(Path cluster, Path elsewhere) throws IOException {
    directory = cluster.resolve("checkpoints");
    Files.createDirectories(cluster);
    if (elsewhere != null) {
      Files.createSymbolicLink(directory, elsewhere);
    } else {
      Files.createDirectories(directory);
    }
    isSmall = Files.getFileStore(directory).getTotalSpace() < SMALL;
  }

  void fill() throws IOException {
    if (isSmall) {
      byte[] block = new byte[BLOCK];
      try (OutputStream out = Files.newOutputStream(ballast())) {
        while (true) {
          out.write(block);
        }
      } catch (IOException e) {
        return; // No space left: that was wanted.
      }
    }
    Files.move(directory, aside());
    Files.createFile(directory);
  }

  void free() throws IOException {
    if (isSmall) {
      Files.delete(ballast());
    } else {
      Files.delete(directory);
      Files.move(aside(), directory);
    }
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }

  private Path aside() {
    return directory.resolveSibling("checkpoints-aside");
  }

  /** How the disk is made full. */
  @Override
  public String toString() {
    return isSmall ? "a file system that is full" : "a file in the directory's place";
  }
}
