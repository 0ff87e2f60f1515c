package io.croupier.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Where warnings go: to a file that is spoken of only when something went wrong, or to the console
 * where a command is a service. To be chosen before anything logs; log4j2.xml reads the properties
 * set here.
 */
public final class Log {

  private static final String FILE = "croupier.log.file";
  private static final String TARGET = "croupier.log.target";

  private Log() {}

  /** From now on, warnings go to a temporary file, written when there is the first. */
  public static void toFile() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "croupier-%d.log".formatted(ProcessHandle.current().pid()));
    System.setProperty(FILE, file.toString());
    System.setProperty(TARGET, "file");
  }

  /** From now on, warnings go to standard error. */
  public static void toConsole() {
    System.setProperty(TARGET, "console");
  }

  /**
   * Nothing is logged from now on: what is being taken down complains, and nobody needs to know.
   */
  public static void silence() {
    Configurator.setAllLevels(LogManager.ROOT_LOGGER_NAME, Level.OFF);
    discard();
  }

  /** Deletes the file: nothing went wrong. */
  public static void discard() {
    String file = System.getProperty(FILE);
    if (file != null) {
      try {
        Files.deleteIfExists(Path.of(file));
      } catch (IOException e) {
        // A file in the temporary directory that stays hurts nobody.
        return;
      }
    }
  }

  /** What the user is to read of an exception, with where to read more. */
  static String explain(Throwable exception) {
    if (exception instanceof InputException) {
      discard();
      return exception.getMessage();
    }
    StringBuilder text = new StringBuilder("Failed: " + exception);
    for (Throwable cause = exception.getCause(); cause != null; cause = cause.getCause()) {
      text.append(System.lineSeparator()).append("  because: ").append(cause);
    }
    String file = System.getProperty(FILE);
    if (file != null && Files.exists(Path.of(file))) {
      text.append(System.lineSeparator()).append("Warnings are in ").append(file);
    }
    return text.toString();
  }
}
