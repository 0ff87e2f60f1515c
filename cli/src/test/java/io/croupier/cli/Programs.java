package io.croupier.cli;

import java.io.IOException;
import java.util.List;

/** Programs that a machine may lack. */
public final class Programs {

  private Programs() {}

  /** Whether a command line, such as {@code curl --version}, is there and succeeds. */
  public static boolean succeeds(String... command) throws InterruptedException {
    return exitCode(List.of(command)) == 0;
  }

  /** The exit code of a command line; -1 if there is no such program. */
  public static int exitCode(List<String> command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      return -1;
    }
  }
}
