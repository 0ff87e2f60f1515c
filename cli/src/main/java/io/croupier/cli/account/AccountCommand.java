package io.croupier.cli.account;

import io.croupier.cli.MissingCommandException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Computes privacy guarantees. */
@Command(
    name = "account",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Computes what noise guarantees and what a person's reports cost together.",
    subcommands = {
      TreeCommand.class,
      GaussianCommand.class,
      AnonymityCommand.class,
      ComposeCommand.class
    })
public final class AccountCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new MissingCommandException(spec.commandLine());
  }
}
