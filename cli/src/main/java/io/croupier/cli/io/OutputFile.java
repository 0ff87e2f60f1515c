package io.croupier.cli.io;

import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;

/** An output file: no part of a new one is left, and none that exists is deleted. */
public final class OutputFile {

  private OutputFile() {}

  /** What writes a file. */
  @FunctionalInterface
  public interface FileWriting {
    /** Writes it. */
    void to(Path file) throws IOException;
  }

  /**
   * Writes a file. If that fails, and there was none before, deletes it.
   *
   * @param option that names the file
   * @throws InputException if it can't be written; the message has the option, the file and the
   *     cause
   */
  public static void write(String option, Path file, FileWriting writing) {
    boolean isNew = Files.notExists(file);
    try {
      writing.to(file);
    } catch (IOException e) {
      if (isNew) {
        boolean unused = FileUtils.deleteQuietly(file.toFile());
      }
      // Java's writer of images has the cause of its failure behind its own exception.
      IOException cause = e.getCause() instanceof IOException behind ? behind : e;
      throw new InputException(
          "%s %s: %s".formatted(option, file, FileErrors.unwritable(cause)), e);
    }
  }
}
