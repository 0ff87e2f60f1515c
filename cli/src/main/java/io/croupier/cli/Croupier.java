package io.croupier.cli;

import io.croupier.cli.account.AccountCommand;
import io.croupier.cli.account.CalibrateCommand;
import io.croupier.cli.audit.AuditCommand;
import io.croupier.cli.demo.DemoCommand;
import io.croupier.cli.erase.EraseCommand;
import io.croupier.cli.follow.FollowCommand;
import io.croupier.cli.gateway.GatewayCommand;
import io.croupier.cli.ledger.LedgerCommand;
import io.croupier.cli.models.ModelsCommand;
import io.croupier.cli.replay.ReplayCommand;
import io.croupier.cli.report.ReportCommand;
import io.croupier.cli.run.RunCommand;
import io.croupier.cli.topics.TopicsCommand;
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
    description = "Learns models from streams of private data, with differential privacy.",
    header = "",
    footer = {
      "",
      "Start with 'croupier demo', which needs no other services.",
      "Run 'croupier help COMMAND' for the options of a command.",
      "Exit codes: 0 success; 1 failure, refusal or mismatch; 2 invalid arguments."
    },
    subcommands = {
      DemoCommand.class,
      RunCommand.class,
      GatewayCommand.class,
      FollowCommand.class,
      ReportCommand.class,
      ReplayCommand.class,
      AuditCommand.class,
      AccountCommand.class,
      CalibrateCommand.class,
      LedgerCommand.class,
      EraseCommand.class,
      TopicsCommand.class,
      ModelsCommand.class,
      HelpCommand.class
    })
public final class Croupier implements Runnable {

  @Spec private CommandSpec spec;

  private Croupier() {}

  /** Runs the command given by {@code args} and exits with its exit code. */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /**
   * Runs the command given by {@code args}.
   *
   * @return 0 after success, 1 if the command failed or refused its input, 2 if the arguments are
   *     invalid
   */
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
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
