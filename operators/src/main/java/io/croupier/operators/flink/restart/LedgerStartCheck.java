package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.operators.flink.restart.VisibleOutputs.AccountedReport;
import io.croupier.operators.flink.restart.VisibleOutputs.Visible;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of a ledger subtask before its first report; see {@link LedgerStart}. */
public final class LedgerStartCheck {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStartCheck.class);

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
   * @param progress records what was judged
   * @throws RefusedStartException if there are accounts, and {@code start} requires state
   */
  public void withoutState(LedgerStart start, LedgerProgress progress) throws IOException {
    switch (start) {
      case REQUIRE_STATE, REBUILD, REBUILT -> requireNoAccounts();
      case NEW -> forget(progress);
    }
  }

  /**
   * Requires that restored accounts contain all events, and that the job begins with the reports
   * behind them.
   *
   * @param marks the restored marks
   * @throws RefusedStartException if a rebuild has written them, and has not ended or doesn't begin
   *     this job
   */
  public static void requireWholeRebuild(LedgerStart start, List<LedgerMark> marks) {
    if (marks.stream().anyMatch(mark -> mark.eventsMissing)) {
      throw new RefusedStartException(
          "The state is one of a rebuild that had not read all accounting events yet, so it lacks"
              + " spending. Start without state and with --rebuild-ledger, which continues the rebuild");
    }
    if (start != LedgerStart.REBUILT && marks.stream().anyMatch(mark -> mark.rebuilt)) {
      throw new RefusedStartException(
          "The state is one of a rebuilt ledger, but the job doesn't know the last accounted"
              + " reports. Start from the whole directory of the savepoint, which has them in a file,"
              + " or start without state and with --rebuild-ledger");
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
}
