package io.croupier.cli;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A command that only has subcommands was called without one: the help lists them. */
public final class MissingCommandException extends ParameterException {
  private static final long serialVersionUID = 1L;

  /** Makes an exception for a command. */
  public MissingCommandException(CommandLine command) {
    super(command, "Missing command");
  }
}
