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
 * The link to the directory of checkpoints. A fault fills the directory's file system to the last
 * byte if that is separate and small; otherwise it redirects the link to a file, so that
 * checkpoints can be neither written nor read.
 */
final class CheckpointDisk implements AutoCloseable {
  private static final long SMALL = 1L << 30;

  /**
   * Free bytes that still count as full, since deleted checkpoints may free some space immediately.
   */
  private static final long LITTLE = 1L << 20;

  private static final int BLOCK = 1 << 12;

  private final Path link;
  private final Path file;
  private final Path directory;
  private final boolean isSmall;

  /**
   * Prepares the checkpoints of a cluster that is not running yet.
   *
   * @param elsewhere a directory on a separate file system; null for the cluster's own directory
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

  /** Replaces the link atomically, so that no server can create a directory in its place. */
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
      // "No space left" is the intended error; any other is rethrown.
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

  /** Deletes all checkpoints after the cluster has stopped. */
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

  /** The way in which the disk is filled. */
  @Override
  public String toString() {
    return isSmall ? "a full file system" : "a file in place of the directory";
  }
}
