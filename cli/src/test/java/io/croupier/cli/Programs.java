package io.croupier.cli;

import java.io.IOException;

/** Programs that a machine may lack. */
public final class Programs {

  private Programs() {}

  /** Whether a command line, such as {@code curl --version}, is there and succeeds. */
  public static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
