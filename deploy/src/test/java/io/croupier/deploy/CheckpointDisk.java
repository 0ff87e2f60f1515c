package io.croupier.deploy;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where checkpoints are written: a link to a directory. On a file system of its own that is small,
 * that is filled to the last byte; otherwise the link leads to a file meanwhile, so that nothing
 * can be written or read there.
 */
final class CheckpointDisk implements AutoCloseable {
  private static final long SMALL = 1L << 30;

  /** Checkpoints that are given up may make some room again at once. */
  private static final long LITTLE = 1L << 20;

  private static final int BLOCK = 1 << 12;

  private final Path link;
  private final Path file;
  private final Path directory;
  private final boolean isSmall;

  /**
   * Checkpoints of a cluster that doesn't run yet.
   *
   * @param elsewhere a directory on a file system of its own; null for the cluster's own directory
   */
  CheckpointDisk(Path cluster, Path elsewhere) throws IOException {
    isSmall = elsewhere != null;
    if (isSmall && Files.getFileStore(elsewhere).getTotalSpace() >= SMALL) {
      throw new IllegalArgumentException(
          "small.disk is %s, of %d bytes; give a file system of less than %d"
              .formatted(elsewhere, Files.getFileStore(elsewhere).getTotalSpace(), SMALL));
    }
    Files.createDirectories(cluster);
    link = cluster.resolve("checkpoints");
    file = Files.createFile(cluster.resolve("no-directory"));
    directory = Files.createTempDirectory(isSmall ? elsewhere : cluster, "checkpoints-");
    leadTo(directory);
  }

  /** At once: there is no time at which nothing is there, and somebody may put a directory. */
  private void leadTo(Path target) throws IOException {
    Path next = Files.createSymbolicLink(link.resolveSibling("checkpoints-next"), target);
    Files.move(next, link, ATOMIC_MOVE);
  }

  void fill() throws IOException {
    if (!isSmall) {
      leadTo(file);
      return;
    }
    byte[] block = new byte[BLOCK];
    try (OutputStream out = Files.newOutputStream(ballast())) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      // No space left: that was wanted, and nothing else.
      if (Files.getFileStore(directory).getUsableSpace() > LITTLE) {
        throw e;
      }
    }
  }

  void free() throws IOException {
    if (isSmall) {
      Files.delete(ballast());
    } else {
      leadTo(directory);
    }
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }

  /** Leaves nothing of the checkpoints; the cluster has ended. */
  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(directory)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  /** How the disk is made full. */
  @Override
  public String toString() {
    return isSmall ? "a file system that is full" : "a file in the directory's place";
  }
}
