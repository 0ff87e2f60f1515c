package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The help of every command. */
class HelpTest {

  /** Picocli prints a text as it is, after a warning, where a % in it is no format. */
  @Test
  void everyTextIsAFormat() {
    assertThat(commands())
        .hasSizeGreaterThan(15)
        .allSatisfy(command -> assertThat(warnings(command)).isEmpty());
  }

  /** A line that is wrapped continues in the first column, where it reads like a command. */
  @Test
  void noExampleIsWrapped() {
    assertThat(commands())
        .allSatisfy(
            command -> {
              // As on a terminal of that width.
              command.setUsageHelpAutoWidth(false).setUsageHelpWidth(80);
              String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
              String examples = help.substring(Math.max(0, help.indexOf("\nTry:")));
              if (examples.startsWith("\nTry:")) {
                assertThat(examples.substring(5).lines())
                    .as(examples)
                    .allMatch(line -> line.isEmpty() || line.startsWith("  "));
              }
            });
  }

  @Test
  void everyCommandHasTheVersion() {
    assertThat(commands())
        .filteredOn(command -> !command.getCommandName().equals("help"))
        .allSatisfy(command -> assertThat(command.getCommandSpec().version()).hasSize(1));
  }

  private static List<CommandLine> commands() {
    List<CommandLine> all = new ArrayList<>();
    Deque<CommandLine> commands = new ArrayDeque<>();
    commands.add(Croupier.commandLine());
    while (!commands.isEmpty()) {
      CommandLine command = commands.remove();
      commands.addAll(command.getSubcommands().values());
      all.add(command);
    }
    return all;
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
