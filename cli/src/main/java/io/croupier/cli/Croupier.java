package io.croupier.cli;

import io.croupier.cli.account.AccountCommand;
import io.croupier.cli.account.CalibrateCommand;
import io.croupier.cli.audit.AuditCommand;
import io.croupier.cli.demo.DemoCommand;
import io.croupier.cli.ledger.LedgerCommand;
import io.croupier.cli.replay.ReplayCommand;
import io.croupier.cli.report.FollowCommand;
import io.croupier.cli.report.ReportCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code croupier} command. */
@Command(
    name = "croupier",
    versionProvider = Version.class,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Learns models from people's private data while it streams by.",
    header = "",
    footer = {
      "",
      "Begin with 'croupier demo': it needs nothing but this machine.",
      "'croupier help COMMAND' says more about a command."
    },
    subcommands = {
      DemoCommand.class,
      RunCommand.class,
      FollowCommand.class,
      ReportCommand.class,
      ReplayCommand.class,
      AuditCommand.class,
      AccountCommand.class,
      CalibrateCommand.class,
      LedgerCommand.class,
      TopicsCommand.class,
      ModelsCommand.class,
      HelpCommand.class
    })
public final class Croupier implements Runnable {

  @Spec private CommandSpec spec;

  private Croupier() {}

  /** Runs the command that {@code args} name, and exits with its code. */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs the command that {@code args} name: 0 done, 1 refused or failed, 2 misunderstood. */
  static int run(String... args) {
    return commandLine().execute(args);
  }

  /** The command with all its subcommands. */
  static CommandLine commandLine() {
    return new CommandLine(new Croupier())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setExecutionExceptionHandler(
            (exception, commandLine, parsed) -> {
              commandLine.getErr().println(Log.explain(exception));
              return commandLine.getCommandSpec().exitCodeOnExecutionException();
            });
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }
}
