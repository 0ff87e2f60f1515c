package io.croupier.cli;

import java.io.PrintWriter;
import java.time.Duration;

/** Prints what a command waits for, if that takes longer than two seconds. */
public final class Waiting {
  private static final Duration SILENT = Duration.ofSeconds(2);

  private Waiting() {}

  /**
   * What may take long.
   *
   * @param <T> its result
   * @param <E> what it throws
   */
  @FunctionalInterface
  public interface Awaited<T, E extends Exception> {
    /** Runs it. */
    T run() throws E;
  }

  /**
   * Runs an action, and returns its result. No line is printed once it has ended.
   *
   * @param what completes the sentence "Waiting for ..."
   * @param err receives the line
   */
  public static <T, E extends Exception> T on(String what, PrintWriter err, Awaited<T, E> action)
      throws E {
    return on(what, err, SILENT, action);
  }

  /** The same with another time without a line. */
  static <T, E extends Exception> T on(
      String what, PrintWriter err, Duration silent, Awaited<T, E> action) throws E {
    Thread notice = new Thread(() -> print(what, err, silent), "waiting");
    notice.setDaemon(true);
    notice.start();
    try {
      return action.run();
    } finally {
      end(notice);
    }
  }

  private static void print(String what, PrintWriter err, Duration silent) {
    try {
      Thread.sleep(silent.toMillis());
    } catch (InterruptedException e) {
      return;
    }
    err.printf("Waiting for %s ...%n", what);
    err.flush();
  }

  private static void end(Thread notice) {
    notice.interrupt();
    try {
      notice.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
