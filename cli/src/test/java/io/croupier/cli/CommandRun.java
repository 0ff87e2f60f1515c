package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** The outcome of a command. */
public record CommandRun(int code, String out, String err, Exception failure) {

  /** Runs a command; arguments are separated by single blanks. */
  public static CommandRun of(Object command, String arguments) {
    return of(command, arguments.split(" "));
  }

  public static CommandRun of(Object command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<Exception> failures = new ArrayList<>();
    int code =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler(
                (exception, line, parsed) -> {
                  failures.add(exception);
                  return 1;
                })
            .execute(arguments);
    return new CommandRun(
        code, out.toString(), err.toString(), failures.isEmpty() ? null : failures.get(0));
  }

  /** Runs the program without input; arguments are separated by single blanks. */
  public static CommandRun croupier(String arguments) {
    return croupier("", arguments);
  }

  /** Runs the program, which reads {@code in}. */
  public static CommandRun croupier(String in, String arguments) {
    return croupier(in, arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
  }

  /** The same with arguments that may contain blanks. */
  public static CommandRun croupier(String in, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(in.getBytes(UTF_8)));
      int code =
          Croupier.commandLine(arguments)
              .setOut(new PrintWriter(out))
              .setErr(new PrintWriter(err))
              .execute(arguments);
      return new CommandRun(code, out.toString(), err.toString(), null);
    } finally {
      System.setIn(before);
    }
  }

  /** The JSON output of a command that must succeed. */
  public static JsonObject json(Object command, String arguments) {
    return of(command, arguments + " --json").succeeded().json();
  }

  /** The same run, which must have succeeded. */
  public CommandRun succeeded() {
    assertThat(failure).isNull();
    assertThat(code).as(err).isZero();
    return this;
  }

  /** The same run, which must have succeeded and printed these parts. */
  public CommandRun printed(String... parts) {
    assertThat(succeeded().out).contains(parts);
    return this;
  }

  /** The same run, which must have failed with an error that has these parts. */
  public CommandRun failed(String... parts) {
    assertThat(code).as(err).isEqualTo(1);
    assertThat(err).contains(parts);
    return this;
  }

  /** The input must have been refused with this message, before any output. */
  public void assertRefused(String message) {
    assertThat(failure).isInstanceOf(InputException.class).hasMessageContaining(message);
    assertThat(code).isEqualTo(1);
    assertThat(out).isEmpty();
  }

  public JsonObject json() {
    return JsonParser.parseString(out).getAsJsonObject();
  }
}
