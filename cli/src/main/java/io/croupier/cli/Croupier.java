package io.croupier.cli;

import io.croupier.cli.account.AccountCommand;
import io.croupier.cli.account.CalibrateCommand;
import io.croupier.cli.audit.AuditCommand;
import io.croupier.cli.audit.TestDeviceCommand;
import io.croupier.cli.demo.DemoCommand;
import io.croupier.cli.follow.FollowCommand;
import io.croupier.cli.gateway.GatewayCommand;
import io.croupier.cli.ledger.LedgerCommand;
import io.croupier.cli.models.ModelsCommand;
import io.croupier.cli.person.EraseCommand;
import io.croupier.cli.person.ResumeCommand;
import io.croupier.cli.person.StopCommand;
import io.croupier.cli.plan.PlanCommand;
import io.croupier.cli.replay.ReplayCommand;
import io.croupier.cli.report.ReportCommand;
import io.croupier.cli.run.RunCommand;
import io.croupier.cli.topics.TopicsCommand;
import io.croupier.cli.watch.WatchCommand;
import io.croupier.job.config.ProcessArguments;
import io.croupier.schemas.NumberText;
import java.io.PrintWriter;
import java.util.List;
import org.apache.commons.lang3.exception.ExceptionUtils;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code croupier} command. */
@Command(
    name = "croupier",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Learns models from streams of private data, with differential privacy.",
    header = "",
    footer = {
      "",
      "Start with 'croupier demo', which needs no other services.",
      "Run 'croupier help COMMAND' for the options of a command.",
      "Exit codes: 0 success; 1 a failure, a refusal, a mismatch, or input, settings or brokers that"
          + " can't be used; 2 arguments that can't be parsed."
    })
public final class Croupier implements Runnable {
  private static final List<Class<?>> COMMANDS =
      List.of(
          DemoCommand.class,
          PlanCommand.class,
          RunCommand.class,
          GatewayCommand.class,
          WatchCommand.class,
          FollowCommand.class,
          ReportCommand.class,
          ReplayCommand.class,
          AuditCommand.class,
          TestDeviceCommand.class,
          AccountCommand.class,
          CalibrateCommand.class,
          LedgerCommand.class,
          EraseCommand.class,
          StopCommand.class,
          ResumeCommand.class,
          TopicsCommand.class,
          ModelsCommand.class);

  @Spec private CommandSpec spec;

  private Croupier() {}

  /** Runs the command given by {@code args} and exits with its exit code. */
  public static void main(String[] args) {
    StandardOutput output = StandardOutput.ofProcess();
    System.exit(run(output, StandardOutput.text(System.err), args));
  }

  /**
   * Runs the command given by {@code args}.
   *
   * @return the number of an {@link ExitCode}, or {@link StandardOutput#CLOSED_PIPE}
   */
  static int run(StandardOutput output, PrintWriter err, String... args) {
    try {
      ProcessArguments.requireDecoded(args);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      return ExitCode.ARGUMENTS.code();
    }
    PrintWriter out = StandardOutput.text(output);
    int code;
    try {
      code = commandLine(args).setOut(out).setErr(err).execute(args);
      out.flush();
    } catch (StandardOutput.FailedException e) {
      code = ExitCode.FAILURE.code();
    }
    return output.finish(code, err);
  }

  /**
   * The command with its subcommands: with the one that {@code args} name at first, else with all.
   * All of them take as long to inspect as a short command takes to run.
   */
  static CommandLine commandLine(String... args) {
    CommandLine all = new CommandLine(new Croupier());
    COMMANDS.stream()
        .filter(command -> args.length > 0 && name(command).equals(args[0]))
        .findFirst()
        .ifPresentOrElse(all::addSubcommand, () -> COMMANDS.forEach(all::addSubcommand));
    addVersion(all);
    all.addSubcommand(HelpCommand.class);
    return all.setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        // A name may begin with '@'.
        .setExpandAtFiles(false)
        .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
        .registerConverter(double.class, Croupier::number)
        .registerConverter(Double.class, Croupier::number)
        .registerConverter(
            short.class, text -> Short.valueOf(Integer.toString(NumberText.parseInt(text))))
        .registerConverter(int.class, NumberText::parseInt)
        .registerConverter(Integer.class, NumberText::parseInt)
        .registerConverter(long.class, NumberText::parseLong)
        .registerConverter(Long.class, NumberText::parseLong)
        .setParameterExceptionHandler(new ArgumentErrors())
        .setExecutionStrategy(Croupier::execute)
        .setExecutionExceptionHandler(
            (exception, commandLine, parsed) -> {
              if (ExceptionUtils.indexOfType(exception, StandardOutput.FailedException.class) < 0) {
                commandLine.getErr().println(Log.explain(exception));
              }
              return ExitCode.FAILURE.code();
            });
  }

  private static void addVersion(CommandLine command) {
    command.getCommandSpec().versionProvider(new Version());
    command.getSubcommands().values().forEach(Croupier::addVersion);
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /** Infinity is that of Protobuf's JSON mapping; few options allow it. */
  private static double number(String text) {
    return text.equals("Infinity") ? Double.POSITIVE_INFINITY : NumberText.parseDouble(text);
  }

  private static int execute(ParseResult parsed) {
    Log.toFile();
    try {
      int code = new CommandLine.RunLast().execute(parsed);
      Log.discard();
      return code;
    } catch (StandardOutput.FailedException e) {
      // Of a help text, which Picocli prints outside of a command.
      return ExitCode.FAILURE.code();
    }
  }

  @Override
  public void run() {
    throw new MissingCommandException(spec.commandLine());
  }
}
