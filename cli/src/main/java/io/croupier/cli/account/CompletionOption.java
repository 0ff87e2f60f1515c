package io.croupier.cli.account;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.Schedule;
import java.util.Locale;

/** Which trees virtual steps complete, as options name it. */
enum CompletionOption {
  NONE(Completion.NONE),
  BEFORE_RESTART(Completion.BEFORE_RESTART),
  EVERY_TREE(Completion.EVERY_TREE);

  private final Completion completion;

  CompletionOption(Completion completion) {
    this.completion = completion;
  }

  /** The same of a release that restarts so often; where it never does, the one tree is meant. */
  Completion where(long restartEvery) {
    return this != NONE && restartEvery == Schedule.NEVER ? Completion.EVERY_TREE : completion;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
