package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.operators.flink.restart.VisibleOutputs.AccountedReport;
import io.croupier.operators.flink.restart.VisibleOutputs.Visible;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of a ledger subtask before its first report; see {@link LedgerStart}. */
public final class LedgerStartCheck {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStartCheck.class);
  private static final Duration LOG_EVERY = Duration.ofSeconds(5);

  private final VisibleOutputs outputs;
  private final StreamingRuntimeContext context;
  private final TaskInfo task;

  /**
   * Creates the check of one subtask.
   *
   * @param outputs the visible outputs
   */
  public LedgerStartCheck(VisibleOutputs outputs, StreamingRuntimeContext context) {
    this.outputs = outputs;
    this.context = context;
    task = context.getTaskInfo();
  }

  /**
   * Starts without state.
   *
   * @param account applies an event to its user's account, and returns whether they agree
   * @param progress records what was judged
   * @throws RefusedStartException if there are accounts, and {@code start} requires state
   */
  public void withoutState(
      LedgerStart start, Predicate<AccountingEvent> account, LedgerProgress progress)
      throws IOException {
    switch (start) {
      case REQUIRE_STATE -> requireNoAccounts();
      case REBUILD -> rebuild(account, progress);
      case NEW -> forget(progress);
    }
  }

  private void requireNoAccounts() throws IOException {
    try (Visible<AccountingEvent> events = outputs.accounting(context)) {
      events.forEach(
          event -> {
            throw new RefusedStartException(
                ("The accounting topic %s contains accounts, but the job was started without the"
                        + " ledger's state: it would forget what all users have spent. Restore the newest"
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
          "A new ledger begins: the spends recorded on the accounting topic {} are forgotten",
          outputs.accountingTopic());
    }
  }

  private void noteAll(LedgerProgress progress) throws IOException {
    try (Visible<AccountingEvent> events = outputs.accounting(context)) {
      events.forEach(event -> note(event, progress));
    }
  }

  /** Records a position; otherwise the next restore would attribute these events to another job. */
  private static boolean note(AccountingEvent event, LedgerProgress progress) {
    Position source = event.getSource();
    progress.judgedBefore(source.getTopic(), source.getPartition(), source.getOffset());
    return true;
  }

  private void rebuild(Predicate<AccountingEvent> account, LedgerProgress progress)
      throws IOException {
    AccountRebuilder rebuild = new AccountRebuilder(account);
    try (Visible<AccountingEvent> events = outputs.accounting(context)) {
      requireAll(events);
      events.forEach(
          event -> {
            rebuild.see(event);
            return note(event, progress);
          });
    }
    rebuild.log("rebuilt");
    if (rebuild.differing > 0) {
      LOG.warn(
          "{} events of the accounting topic {} contain other totals than the earlier events add up"
              + " to: some are missing, or a new ledger was begun. The larger totals are used",
          rebuild.differing,
          outputs.accountingTopic());
    }
  }

  /**
   * Requires that no event was deleted: if a user has sent no report since, no later total includes
   * deleted events.
   */
  private void requireAll(Visible<AccountingEvent> events) {
    events
        .forgottenBefore()
        .forEach(
            (partition, offset) -> {
              throw new RefusedStartException(
                  ("The ledger can't be rebuilt: %s-%d of the accounting topic begins at offset %d,"
                          + " so earlier accounts were deleted, and their users would get budget back."
                          + " Restore the newest savepoint or checkpoint; if there is none, the only"
                          + " option left is --new-ledger, which forgets all accounts")
                      .formatted(outputs.accountingTopic(), partition, offset));
            });
  }

  /**
   * Compares restored state with the visible events: each subtask with those of its share of the
   * accounting topic.
   *
   * @param marks the restored marks; empty if the state was written by a release without marks
   * @param progress records the visible events where there are no marks
   * @param aligned whether all events before a barrier are pre-committed at it; otherwise events
   *     that wait in a channel are committed later, and would be reported as lost
   * @return the number of ranges of positions that the state has judged and that have no visible
   *     event; 0 unless aligned, and except in the first subtask
   * @throws RefusedStartException if an event is visible that the state doesn't cover
   */
  public int withState(List<LedgerMark> marks, LedgerProgress progress, boolean aligned)
      throws IOException {
    if (marks.isEmpty()) {
      noteAll(progress);
      if (task.getIndexOfThisSubtask() == 0) {
        LOG.warn(
            "The restored state contains no progress of its ledger, so it is not compared with the"
                + " accounting topic {}. Make sure that it is the newest savepoint or checkpoint",
            outputs.accountingTopic());
      }
      return 0;
    }
    LedgerComparison comparison =
        new LedgerComparison(outputs.accountingTopic(), marks, this::subtask);
    try (Visible<AccountedReport> reports =
        outputs.accountedReports(comparison.since(), comparison.sinceMs(), context)) {
      reports.forEach(
          report -> {
            comparison.see(report);
            return true;
          });
    }
    boolean first = task.getIndexOfThisSubtask() == 0;
    if (!aligned) {
      if (first) {
        LOG.warn(
            "Checkpoints may be unaligned, so the start doesn't check whether the brokers have"
                + " aborted events on {}",
            outputs.accountingTopic());
      }
      return 0;
    }
    Map<String, Long> visible = outputs.highest(comparison.visible(), context);
    List<LostPositions> losses = first ? comparison.losses(visible) : List.of();
    if (!losses.isEmpty()) {
      LOG.error(
          "Outputs of the last checkpoint are lost: the brokers have ended its transactions before"
              + " they were committed. The reports count in models and accounts, but some events on {} are"
              + " missing, of reports at {}. Allow longer transactions"
              + " (transaction.max.timeout.ms), or keep outages shorter",
          outputs.accountingTopic(),
          losses);
    }
    return losses.size();
  }

  /** Returns the subtask that judges a user's reports, of the given number of subtasks. */
  private int subtask(String userId, int parallelism) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(
        userId, task.getMaxNumberOfParallelSubtasks(), parallelism);
  }

  /** Adds up the events of this subtask's users. */
  private final class AccountRebuilder {
    private final Predicate<AccountingEvent> account;
    private long nextLogNanos = System.nanoTime() + LOG_EVERY.toNanos();
    private long read;
    private long added;
    private long differing;

    AccountRebuilder(Predicate<AccountingEvent> account) {
      this.account = account;
    }

    void see(AccountingEvent event) {
      read++;
      if (subtask(event.getUserId(), task.getNumberOfParallelSubtasks())
          == task.getIndexOfThisSubtask()) {
        added++;
        if (!account.test(event)) {
          differing++;
        }
      }
      if (System.nanoTime() - nextLogNanos > 0) {
        nextLogNanos += LOG_EVERY.toNanos();
        log("being rebuilt");
      }
    }

    void log(String state) {
      LOG.info(
          "The ledger is {} from {}: {} events read, {} of them of this subtask's users",
          state,
          outputs.accountingTopic(),
          read,
          added);
    }
  }
}
