package io.croupier.cli.models;

import picocli.CommandLine.Option;

/** Who changes models, as the log names the person. */
final class Author {
  @Option(
      names = "--by",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "Who makes the change, for 'models log' (default: the system's user).")
  private String name;

  /** The name. */
  String name() {
    return name;
  }
}
