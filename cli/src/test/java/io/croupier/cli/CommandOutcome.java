package io.croupier.cli;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** The outcome of a command that ran in this JVM. */
record CommandOutcome(int code, String out, String err) {

  /** Runs a command that reads {@code in}. */
  static CommandOutcome of(InputStream in, List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] line = arguments.toArray(String[]::new);
    InputStream before = System.in;
    try {
      System.setIn(in);
      int code =
          Croupier.commandLine(line)
              .setOut(new PrintWriter(out))
              .setErr(new PrintWriter(err))
              .execute(line);
      return new CommandOutcome(code, out.toString(), err.toString());
    } finally {
      System.setIn(before);
    }
  }
}
