package io.croupier.cli.account;

import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.cli.InputException;
import picocli.CommandLine.Option;

/** Options that describe the released trees and who takes part in which step. */
final class TreeOptions {
  private static final int MOST_TREES = 1000;
  private static final String NOT_GIVEN = "-1";

  @Option(
      names = "--steps",
      paramLabel = "T",
      description = "Number of steps of the release; optional with --order.")
  private Long steps;

  @Option(
      names = "--participations",
      paramLabel = "E",
      defaultValue = NOT_GIVEN,
      description = "Maximum number of steps in which one person takes part (default: 1).")
  private long participations;

  @Option(
      names = "--min-separation",
      paramLabel = "XI",
      defaultValue = NOT_GIVEN,
      description =
          "Minimum number of steps strictly between two participations of a person"
              + " (default: 0).")
  private long minSeparation;

  @Option(
      names = "--restart-every",
      paramLabel = "N",
      description = "Starts a new tree after every N steps (default: never).")
  private Long restartEvery;

  @Option(
      names = "--completion",
      paramLabel = "WHICH",
      arity = "0..1",
      defaultValue = "none",
      fallbackValue = "before-restart",
      description = {
        "Trees that virtual steps complete: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE};"
            + " without WHICH: ${FALLBACK-VALUE}, all but the last tree). Without"
            + " --restart-every, before-restart and every-tree complete the single tree."
      })
  private CompletionOption completed;

  @Option(
      names = "--trees",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Number of trees released side by side with the same noise (default: ${DEFAULT-VALUE})."
            + " dpFtrlLeastSquares releases 2; under replace-one that gives an upper bound, and"
            + " the ledger charges 0.75 of this mu."
      })
  private int trees;

  @Option(
      names = "--order",
      paramLabel = "FILE",
      description = {
        "Participants of each step, instead of --participations and --min-separation: one line per"
            + " step, with user ids separated by blanks or commas; an empty line is a step"
            + " without participants. '-' is standard input; a file that ends in .gz is"
            + " decompressed."
      })
  private String order;

  /** Whether {@code --steps} or {@code --order} is given. */
  boolean areGiven() {
    return steps != null || order != null;
  }

  /** Computes the sensitivity of the release. */
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
      throw new InputException("The number of steps is missing; give --steps T or --order FILE");
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
          "--participations and --min-separation can't be given with --order, which lists the"
              + " participants of each step");
    }
    OrderFile file = new OrderFile(order);
    GivenOrder given = new GivenOrder(every, completed.where(every));
    file.read(given);
    if (given.steps() == 0) {
      throw new InputException(order + " is empty; it must have one line per step");
    }
    if (steps != null && steps != given.steps()) {
      throw new InputException(
          "--steps is %d, but %s has %d lines; the numbers must be equal, or leave out --steps"
              .formatted(steps, order, given.steps()));
    }
    return Sensitivity.of(given, file.users(), trees);
  }
}
