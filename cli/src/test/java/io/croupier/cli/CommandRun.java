package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
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
