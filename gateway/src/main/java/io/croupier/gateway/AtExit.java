package io.croupier.gateway;

/** Orderly ends of processes. */
public final class AtExit {
  private AtExit() {}

  /**
   * Runs an action when this process is asked to end, by SIGTERM or SIGINT, and ends the process
   * with status 0 after it.
   */
  public static void run(Runnable close) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  int status = 1;
                  try {
                    close.run();
                    status = 0;
                  } finally {
                    // A JVM that a signal ends has the signal as its status otherwise.
                    Runtime.getRuntime().halt(status);
                  }
                },
                "end"));
  }
}
