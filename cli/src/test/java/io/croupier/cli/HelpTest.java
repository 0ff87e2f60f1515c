package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The help of every command. */
class HelpTest {

  /** Picocli prints a text as it is, after a warning, where a % in it is no format. */
  @Test
  void everyTextIsAFormat() {
    Deque<CommandLine> commands = new ArrayDeque<>();
    commands.add(Croupier.commandLine());
    int printed = 0;
    while (!commands.isEmpty()) {
      CommandLine command = commands.remove();
      commands.addAll(command.getSubcommands().values());
      assertThat(warnings(command)).as(command.getCommandSpec().qualifiedName()).isEmpty();
      printed++;
    }
    assertThat(printed).isGreaterThan(15);
  }

  private static String warnings(CommandLine command) {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, UTF_8));
    try {
      assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF))
          .contains("Usage: ")
          .doesNotContain("%n", "%%");
    } finally {
      System.setErr(before);
    }
    return printed.toString(UTF_8);
  }
}
