package io.croupier.operators.flink;

import io.croupier.operators.accounting.AccountRebuild;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.operators.flink.LedgerComparison.LostPositions;
import io.croupier.operators.flink.VisibleOutputs.Visible;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a subtask of the ledger does before its first report: see {@link LedgerStart}. */
final class LedgerStartCheck {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStartCheck.class);
  private static final Duration TELL_EVERY = Duration.ofSeconds(5);

  private final VisibleOutputs outputs;
  private final StreamingRuntimeContext context;
  private final TaskInfo task;

  LedgerStartCheck(VisibleOutputs outputs, StreamingRuntimeContext context) {
    this.outputs = outputs;
    this.context = context;
    task = context.getTaskInfo();
  }

  /**
   * Starts without state.
   *
   * @param account makes a user the one whose account it returns
   * @param progress is told what was judged
   * @throws RefusedStartException if there are accounts, and nothing was said of them
   */
  void withoutState(
      LedgerStart start, Function<String, UserAccount> account, LedgerProgress progress)
      throws IOException {
    switch (start) {
      case REQUIRE_STATE -> requireNoAccounts();
      case REBUILD -> rebuild(account, progress);
      case NEW -> forget(progress);
    }
  }

  private void requireNoAccounts() throws IOException {
    try (Visible<AccountingEvent> events = outputs.accounting(VisibleOutputs.ALL, context)) {
      events.forEach(
          event -> {
            throw new RefusedStartException(
                ("The accounting topic %s holds accounts, but the job was started without the"
                        + " ledger's state: it would forget what everybody has spent. Restore the newest"
                        + " savepoint or checkpoint ('flink run -s PATH', 'croupier run --from"
                        + " PATH'); if there is none, start with --rebuild-ledger, which adds up"
                        + " the accounts on the topic, or with --new-ledger, which forgets them")
                    .formatted(outputs.accountingTopic()));
          });
    }
  }

  private void forget(LedgerProgress progress) throws IOException {
    noteAll(progress);
    if (task.getIndexOfThisSubtask() == 0) {
      LOG.warn(
          "A new ledger: what the accounting topic {} says was spent is forgotten",
          outputs.accountingTopic());
    }
  }

  private void noteAll(LedgerProgress progress) throws IOException {
    try (Visible<AccountingEvent> events = outputs.accounting(VisibleOutputs.ALL, context)) {
      events.forEach(event -> note(event, progress));
    }
  }

  /** Else the next restore would take these events for those of another job. */
  private static boolean note(AccountingEvent event, LedgerProgress progress) {
    Position source = event.getSource();
    progress.judgedBefore(source.getTopic(), source.getPartition(), source.getOffset());
    return true;
  }

  private void rebuild(Function<String, UserAccount> account, LedgerProgress progress)
      throws IOException {
    AccountRebuilder rebuild = new AccountRebuilder(account);
    try (Visible<AccountingEvent> events = outputs.accounting(VisibleOutputs.ALL, context)) {
      requireAll(events);
      events.forEach(
          event -> {
            rebuild.see(event);
            return note(event, progress);
          });
    }
    rebuild.tell("rebuilt");
    if (rebuild.differing > 0) {
      LOG.warn(
          "{} events of the accounting topic {} tell other totals than those before them add up to:"
              + " some are missing, or a new ledger was begun. What counts is the larger",
          rebuild.differing,
          outputs.accountingTopic());
    }
  }

  /** What was deleted is in no later total of a user who has reported no more. */
  private void requireAll(Visible<AccountingEvent> events) {
    events
        .forgottenBefore()
        .forEach(
            (partition, offset) -> {
              throw new RefusedStartException(
                  ("The ledger can't be rebuilt: %s-%d of the accounting topic begins at offset %d,"
                          + " so the accounts before it were deleted, and whoever they are of would"
                          + " get budget back. Restore the newest savepoint or checkpoint; if there"
                          + " is none, only --new-ledger is left, which forgets everybody's accounts")
                      .formatted(outputs.accountingTopic(), partition, offset));
            });
  }

  /**
   * Compares restored state with what is visible; one subtask does it for all.
   *
   * @param marks as restored; none if the state is of a release that kept none
   * @param progress is told what is visible, where no mark says what was judged
   * @param aligned whether what is before a barrier is pre-committed at it: else events that wait
   *     in a channel are committed later, and look as if they were lost
   * @return what the state has judged and no visible event tells of; nothing unless aligned
   * @throws RefusedStartException if something is visible that the state doesn't know of
   */
  List<LostPositions> withState(List<LedgerMark> marks, LedgerProgress progress, boolean aligned)
      throws IOException {
    if (marks.isEmpty()) {
      noteAll(progress);
      if (task.getIndexOfThisSubtask() == 0) {
        LOG.warn(
            "The restored state doesn't say how far its ledger had come, so it is not compared with"
                + " the accounting topic {}: it must be the newest one",
            outputs.accountingTopic());
      }
      return List.of();
    }
    LedgerComparison comparison =
        new LedgerComparison(outputs.accountingTopic(), marks, this::subtask);
    try (Visible<AccountingEvent> events = outputs.accounting(comparison.sinceMs(), context)) {
      if (task.getIndexOfThisSubtask() != 0) {
        return List.of();
      }
      events.forEach(
          event -> {
            comparison.see(event);
            return true;
          });
    }
    if (!aligned) {
      LOG.warn(
          "Checkpoints may be unaligned, so it is not checked whether the brokers have taken back"
              + " events on {}",
          outputs.accountingTopic());
      return List.of();
    }
    List<LostPositions> losses = comparison.losses();
    if (!losses.isEmpty()) {
      LOG.error(
          "Outputs of the last checkpoint are lost: the brokers have ended its transactions before"
              + " they were committed. The reports count in models and accounts, but events on {}"
              + " are missing of some at {}. Allow longer transactions"
              + " (transaction.max.timeout.ms), or shorter outages",
          outputs.accountingTopic(),
          losses);
    }
    return losses;
  }

  /** Which of a number of subtasks judges the reports of a user. */
  private int subtask(String userId, int parallelism) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(
        userId, task.getMaxNumberOfParallelSubtasks(), parallelism);
  }

  /** Adds up the events of this subtask's users. */
  private final class AccountRebuilder {
    private final Function<String, UserAccount> account;
    private long nextTellNanos = System.nanoTime() + TELL_EVERY.toNanos();
    private long read;
    private long added;
    private long differing;

    AccountRebuilder(Function<String, UserAccount> account) {
      this.account = account;
    }

    void see(AccountingEvent event) {
      read++;
      if (subtask(event.getUserId(), task.getNumberOfParallelSubtasks())
          == task.getIndexOfThisSubtask()) {
        added++;
        if (!AccountRebuild.apply(event, account.apply(event.getUserId()))) {
          differing++;
        }
      }
      if (System.nanoTime() - nextTellNanos > 0) {
        nextTellNanos += TELL_EVERY.toNanos();
        tell("being rebuilt");
      }
    }

    void tell(String state) {
      LOG.info(
          "The ledger is {} from {}: {} events read, {} of them of this subtask's users",
          state,
          outputs.accountingTopic(),
          read,
          added);
    }
  }
}
