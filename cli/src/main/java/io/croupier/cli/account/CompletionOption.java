package io.croupier.cli.account;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.Schedule;
import java.util.Locale;

/** Which trees are completed by virtual steps, as options name them. */
enum CompletionOption {
  NONE(Completion.NONE),
  BEFORE_RESTART(Completion.BEFORE_RESTART),
  EVERY_TREE(Completion.EVERY_TREE);

  private final Completion completion;

  CompletionOption(Completion completion) {
    this.completion = completion;
  }

  /**
   * The completion for a release that restarts after every {@code restartEvery} steps. Without
   * restarts, every choice other than none completes the single tree.
   */
  Completion where(long restartEvery) {
    return this != NONE && restartEvery == Schedule.NEVER ? Completion.EVERY_TREE : completion;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
