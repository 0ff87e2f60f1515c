package io.croupier.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.io.FileUtils;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.WebOptions;

/**
 * A temporary directory for all files of a local Flink cluster, which doesn't delete all of them.
 *
 * @param path of the directory
 */
public record ScratchDirectory(Path path) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Creates a directory below the default directory for temporary files. */
  public static ScratchDirectory create(String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(prefix));
  }

  /** Sets this directory for Flink's temporary files, unless the configuration sets another one. */
  public void configure(Configuration flink) {
    String files = path.resolve("flink").toString();
    if (!flink.contains(CoreOptions.TMP_DIRS)) {
      flink.set(CoreOptions.TMP_DIRS, files);
    }
    if (!flink.contains(WebOptions.TMP_DIR)) {
      flink.set(WebOptions.TMP_DIR, files);
    }
  }

  /**
   * Deletes the directory. Flink still deletes some of its files shortly after the job has ended,
   * and the two deletions may conflict, so this method retries for up to 10 s.
   *
   * @throws UncheckedIOException if the directory still exists then
   */
  @Override
  public void close() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (Files.exists(path)) {
      try {
        FileUtils.deleteDirectory(path.toFile());
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new UncheckedIOException("The temporary directory can't be deleted", e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
  }
}
