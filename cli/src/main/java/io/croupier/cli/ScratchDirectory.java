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
 * A temporary directory for all files of a Flink in this process, which leaves some of them behind.
 *
 * @param path where it is
 */
public record ScratchDirectory(Path path) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Creates one below the directory for temporary files. */
  public static ScratchDirectory create(String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(prefix));
  }

  /** Has Flink keep its temporary files in here, where the configuration names no place. */
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
   * Deletes it. Flink goes on deleting its own part for a moment after the job's end, and both may
   * be in each other's way, so this tries again for up to 10 s.
   *
   * @throws UncheckedIOException if the directory is still there then
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
