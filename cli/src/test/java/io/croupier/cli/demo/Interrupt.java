package io.croupier.cli.demo;

import io.croupier.cli.Programs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The signal that Ctrl-C sends, for processes that tests start. A shell has the commands that it
 * runs in the background ignore SIGINT, the children of such a command inherit this, and a JVM that
 * was started so never handles the signal. A launcher restores the signal's default where one is
 * installed; elsewhere SIGTERM stands in, which no shell ignores.
 *
 * @param launcher the command that goes before the one that is to be interrupted; may be empty
 * @param signal as {@code kill} names it
 * @param exitValue of a JVM that the signal ended
 */
record Interrupt(List<String> launcher, String signal, int exitValue) {
  private static final int NOT_INTERRUPTED = 7;

  private static final List<List<String>> LAUNCHERS =
      List.of(
          List.of(),
          List.of("env", "--default-signal=INT"),
          List.of("perl", "-e", "$SIG{INT} = 'DEFAULT'; exec @ARGV or exit 1"));

  /** The signal closest to Ctrl-C that reaches a child process. */
  static Interrupt available() throws InterruptedException {
    for (List<String> launcher : LAUNCHERS) {
      if (reaches(launcher)) {
        return new Interrupt(launcher, "INT", 128 + 2);
      }
    }
    System.out.println(
        "SIGINT is ignored here, and neither env nor perl restores it: SIGTERM is sent instead");
    return new Interrupt(List.of(), "TERM", 128 + 15);
  }

  /** Whether a shell started with {@code launcher} dies from a SIGINT that it sends to itself. */
  private static boolean reaches(List<String> launcher) throws InterruptedException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(List.of("sh", "-c", "kill -INT $$; exit " + NOT_INTERRUPTED));
    return Programs.exitCode(command) == 128 + 2;
  }

  /** Sends the signal. */
  void send(Process process) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
  }
}
