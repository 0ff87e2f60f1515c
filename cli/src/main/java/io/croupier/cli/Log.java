package io.croupier.cli;

import io.croupier.schemas.VisibleText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.filter.AbstractFilter;

/**
 * Selects where warnings are logged: to a temporary file that is mentioned only after a failure, or
 * to standard error for long-running commands, which call {@link #toConsole} before anything logs:
 * log4j2.xml reads the properties that these methods set.
 */
public final class Log {

  private static final String FILE = "croupier.log.file";
  private static final String TARGET = "croupier.log.target";

  private Log() {}

  /** Logs warnings to a temporary file, created with the first warning. */
  static void toFile() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "croupier-%d.log".formatted(ProcessHandle.current().pid()));
    System.setProperty(FILE, file.toString());
    System.setProperty(TARGET, "file");
  }

  /** Logs warnings to standard error. */
  public static void toConsole() {
    System.setProperty(TARGET, "console");
  }

  /** Doesn't log what is caused by such an exception, which the command itself explains. */
  public static void leaveOut(Class<? extends Throwable> explained) {
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    context
        .getConfiguration()
        .getRootLogger()
        .addFilter(
            new AbstractFilter() {
              @Override
              public Result filter(LogEvent event) {
                // Flink logs some exceptions by their names and texts.
                return ExceptionUtils.getThrowableList(event.getThrown()).stream()
                        .anyMatch(cause -> cause.toString().contains(explained.getName()))
                    ? Result.DENY
                    : Result.NEUTRAL;
              }
            });
    context.updateLoggers();
  }

  /**
   * Disables logging and deletes the file. Components log spurious warnings while they shut down.
   */
  public static void silence() {
    Configurator.setAllLevels(LogManager.ROOT_LOGGER_NAME, Level.OFF);
    discard();
  }

  /** Deletes the log file, after a command that has not failed; also one that is created later. */
  static void discard() {
    String file = System.getProperty(FILE);
    if (file != null) {
      Path.of(file).toFile().deleteOnExit();
      try {
        Files.deleteIfExists(Path.of(file));
      } catch (IOException e) {
        // A leftover file in the temporary directory is harmless.
        return;
      }
    }
  }

  /** The text that users see for an exception, with the path of the log file if there is one. */
  static String explain(Throwable exception) {
    if (exception instanceof InputException) {
      discard();
      return exception.getMessage();
    }
    StringBuilder text =
        new StringBuilder("Failed: ").append(VisibleText.name(exception.toString()));
    for (Throwable cause = exception.getCause(); cause != null; cause = cause.getCause()) {
      text.append(System.lineSeparator())
          .append("  because: ")
          .append(VisibleText.name(cause.toString()));
    }
    String file = System.getProperty(FILE);
    if (file != null && Files.exists(Path.of(file))) {
      text.append(System.lineSeparator()).append("Warnings were logged to ").append(file);
    }
    return text.toString();
  }
}
