package io.croupier.cli;

/** The exit codes of commands. */
public enum ExitCode {
  /** The command has done what it was asked for. */
  SUCCESS(0),

  /**
   * The command could not do it, or the answer is no: input, settings or brokers that can't be
   * used, a refusal, a mismatch, a failure.
   */
  FAILURE(1),

  /** The arguments can't be parsed: an unknown option, a missing one, a value of another type. */
  ARGUMENTS(2);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  /** The number that the process returns. */
  public int code() {
    return code;
  }
}
