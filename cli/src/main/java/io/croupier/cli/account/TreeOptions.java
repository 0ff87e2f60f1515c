package io.croupier.cli.account;

import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.cli.InputException;
import picocli.CommandLine.Option;

/** The options that say which trees are released, and who takes part in them when. */
final class TreeOptions {
  private static final int MOST_TREES = 1000;
  private static final String NOT_GIVEN = "-1";

  @Option(
      names = "--steps",
      paramLabel = "T",
      description = "Steps of the release; with --order as many as it has.")
  private Long steps;

  @Option(
      names = "--participations",
      paramLabel = "E",
      defaultValue = NOT_GIVEN,
      description = "How many steps one person takes part in, at most (default: 1).")
  private long participations;

  @Option(
      names = "--min-separation",
      paramLabel = "XI",
      defaultValue = NOT_GIVEN,
      description = "Steps strictly between two participations, at least (default: 0).")
  private long minSeparation;

  @Option(
      names = "--restart-every",
      paramLabel = "N",
      description = "A new tree after every N steps (default: never).")
  private Long restartEvery;

  @Option(
      names = "--completion",
      paramLabel = "WHICH",
      arity = "0..1",
      defaultValue = "none",
      fallbackValue = "before-restart",
      description = {
        "Virtual steps complete trees: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}; without"
            + " WHICH: ${FALLBACK-VALUE}, the last tree excepted). Where there are no restarts,"
            + " they complete the one tree."
      })
  private CompletionOption completed;

  @Option(
      names = "--trees",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Trees released side by side, with the same noise; least squares release 2, which under"
            + " replace-one is an upper bound: 0.75 of that mu is charged (default:"
            + " ${DEFAULT-VALUE})."
      })
  private int trees;

  @Option(
      names = "--order",
      paramLabel = "FILE",
      description = {
        "Who takes part in which step: a line for each step, with user ids separated by blanks or"
            + " commas; an empty line: nobody. '-' is standard input; what ends in .gz is"
            + " unpacked. Instead of --participations and --min-separation."
      })
  private String order;

  /** Whether any trees are spoken of. */
  boolean areGiven() {
    return steps != null || order != null;
  }

  /** How much one person can move all trees, and what is known beside. */
  Sensitivity sensitivity() {
    long every = restartEvery == null ? Schedule.NEVER : restartEvery;
    if (restartEvery != null) {
      OptionChecks.atLeast("--restart-every", every, 1);
    }
    if (trees < 1 || trees > MOST_TREES) {
      throw new InputException(
          "--trees is %d; it must be from 1 to %d".formatted(trees, MOST_TREES));
    }
    if (order != null) {
      return ofOrder(every);
    }
    if (steps == null) {
      throw new InputException("How many steps? Say so by --steps T, or give --order FILE");
    }
    long most = participations == -1 ? 1 : participations;
    long separation = minSeparation == -1 ? 0 : minSeparation;
    OptionChecks.atLeast("--participations", most, 1);
    OptionChecks.atLeast("--min-separation", separation, 0);
    try {
      Schedule schedule =
          new Schedule(
              steps, new ParticipationLimits(most, separation), every, completed.where(every));
      return Sensitivity.of(schedule, trees);
    } catch (IllegalArgumentException e) {
      throw new InputException("--" + e.getMessage(), e);
    }
  }

  private Sensitivity ofOrder(long every) {
    if (participations != -1 || minSeparation != -1) {
      throw new InputException(
          "--participations and --min-separation are for orders that are not known; --order says"
              + " who takes part when");
    }
    OrderFile file = new OrderFile(order);
    GivenOrder given = new GivenOrder(every, completed.where(every));
    file.read(given);
    if (given.steps() == 0) {
      throw new InputException(order + " is empty; it must have a line for each step");
    }
    if (steps != null && steps != given.steps()) {
      throw new InputException(
          "--steps is %d, but %s has %d lines; it must be as many, or left out"
              .formatted(steps, order, given.steps()));
    }
    return Sensitivity.of(given, file.users(), trees);
  }
}
