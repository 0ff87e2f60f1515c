package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.CommittedProgress.Committed;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.VisibleOutputs.LeftOpen;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of a ledger subtask before its first report; see {@link LedgerStart}.
 *
 * @param outputs the visible outputs
 */
public record LedgerStartCheck(VisibleOutputs outputs, TaskInfo task) {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStartCheck.class);

  /**
   * What a subtask continues with.
   *
   * @param progress what it has judged
   * @param leftOpen transactions to be aborted later; null except in the first subtask
   * @param lostRanges ranges of positions that the state has judged and that have no visible event
   * @param skippedOffsets offsets of reports that the job passes over
   */
  public record Started(
      LedgerProgress progress, LeftOpen leftOpen, int lostRanges, long skippedOffsets) {}

  /**
   * Compares the state with the visible outputs.
   *
   * @param start what the job does without state
   * @param marks the restored marks; a job may be restored without those of its ledger
   * @throws RefusedStartException if the job may not start from this state
   */
  public Started start(LedgerStart start, List<LedgerMark> marks, long nowMs) throws IOException {
    requireWholeRebuild(start, marks);
    // Before the records of progress are read: what is open then, and has no record, is unknown.
    LeftOpen leftOpen = isFirst() ? outputs.leftOpen() : null;
    CommittedProgress committed = committed(marks);
    LedgerProgress progress =
        new LedgerProgress(marks, nowMs, ProgressRecord.newGeneration(), committed.end());
    int lost = 0;
    if (marks.isEmpty()) {
      withoutState(start);
    } else {
      lost = withState(marks, committed);
    }
    return new Started(progress, leftOpen, lost, skippedOffsets(marks, progress));
  }

  /**
   * Reads the records of progress.
   *
   * @param marks the restored marks
   */
  public CommittedProgress committed(List<LedgerMark> marks) throws IOException {
    return outputs.progress(
        ProgressRecord.listed(
            ProgressWriter.LEDGER,
            record ->
                marks.stream()
                    .anyMatch(
                        mark -> record.isWithin(mark.subtask, mark.generation, mark.records))));
  }

  /**
   * Starts without state.
   *
   * @throws RefusedStartException if there are accounts, and {@code start} requires state
   */
  public void withoutState(LedgerStart start) throws IOException {
    if (!isFirst()) {
      return;
    }
    if (start == LedgerStart.NEW) {
      LOG.warn(
          "A new ledger begins: the spends recorded on the accounting topic {} are forgotten",
          outputs.accountingTopic());
    } else {
      requireNoAccounts();
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
              + " spending. Start again without state and with --rebuild-ledger");
    }
    if (start != LedgerStart.REBUILT && marks.stream().anyMatch(mark -> mark.rebuilt)) {
      throw new RefusedStartException(
          "The state is one of a rebuilt ledger, but the job doesn't know the last accounted"
              + " reports. Start from the whole directory of the savepoint, which has them in a file,"
              + " or start without state and with --rebuild-ledger");
    }
  }

  private void requireNoAccounts() throws IOException {
    outputs.accounting(
        TopicEnd.UNKNOWN,
        VisibleOutputs.ALL,
        event -> {
          throw new RefusedStartException(
              ("The accounting topic %s contains accounts, but the job was started without the"
                      + " ledger's state: it would forget what all users have spent. If another job"
                      + " runs on these topics, it has the state, and must stop first. Restore the newest"
                      + " savepoint or checkpoint ('flink run -s PATH', 'croupier run --from"
                      + " PATH'); if there is none, start with --rebuild-ledger, which adds up"
                      + " the accounts on the topic, or with --new-ledger, which forgets them")
                  .formatted(outputs.accountingTopic()));
        });
  }

  /**
   * Compares restored state with the records of progress; without them, with the visible events.
   *
   * @param marks the restored marks; at least one
   * @return the number of ranges of positions that the state has judged and that have no visible
   *     event; 0 except in the first subtask
   * @throws RefusedStartException if an event is visible that the state doesn't cover
   */
  public int withState(List<LedgerMark> marks, CommittedProgress committed) throws IOException {
    List<LostPositions> losses;
    if (marks.stream().allMatch(mark -> base(mark).isOfSameTopic(committed.end()))) {
      losses = losses(marks, committed);
    } else if (isFirst()) {
      losses = lossesAmongEvents(marks);
    } else {
      losses = List.of();
    }
    if (!isFirst()) {
      return 0;
    }
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

  /** The end of the progress topic before the run that has written the mark. */
  private static TopicEnd base(LedgerMark mark) {
    return TopicEnd.of(mark.progressIdHigh, mark.progressIdLow, mark.progressEnds);
  }

  private List<LostPositions> losses(List<LedgerMark> marks, CommittedProgress committed) {
    Map<Integer, LedgerMark> bySubtask = new HashMap<>();
    marks.forEach(mark -> bySubtask.put(mark.subtask, mark));
    committed
        .ledger()
        .forEach(
            (subtask, record) -> {
              LedgerMark mark = bySubtask.getOrDefault(subtask, marks.get(0));
              OfSubtask newest = record.record();
              boolean ofThisRun = mark.subtask == subtask && mark.generation == newest.generation();
              if (ofThisRun ? newest.count() > mark.records : !record.isBefore(base(mark))) {
                throw refusal(marks, newest);
              }
            });
    List<LostPositions> losses = new ArrayList<>();
    for (LedgerMark mark : marks) {
      Committed record = committed.ledger().get(mark.subtask);
      boolean isOfThisRun = record != null && record.record().generation() == mark.generation;
      if (!isOfThisRun || record.record().count() < mark.records) {
        SourcePositions seen = isOfThisRun ? record.record().judged() : new SourcePositions();
        losses.addAll(LedgerComparison.losses(mark, seen));
      }
    }
    return losses;
  }

  /** The refusal of a state that doesn't contain a committed record. */
  private RefusedStartException refusal(List<LedgerMark> marks, OfSubtask record) {
    SourcePositions judged = SourcePositions.judged(marks);
    record
        .judged()
        .forEach(
            (topic, partition, offset) -> {
              long known = judged.highest(topic, partition);
              if (offset > known) {
                throw LedgerComparison.older(
                    outputs.accountingTopic(), topic, partition, offset, known);
              }
            });
    return new RefusedStartException(
        ("Another job has continued from the same state: the progress topic %s contains a record of"
                + " subtask %d of its ledger. Only that job may continue")
            .formatted(outputs.progressTopic(), record.index()));
  }

  private List<LostPositions> lossesAmongEvents(List<LedgerMark> marks) throws IOException {
    if (marks.stream().anyMatch(mark -> mark.generation != 0)) {
      LOG.warn(
          "The progress topic {} was created again, so the state is compared with the events on {}."
              + " Lost outputs of its last checkpoint are not found",
          outputs.progressTopic(),
          outputs.accountingTopic());
    }
    LedgerComparison comparison =
        new LedgerComparison(outputs.accountingTopic(), marks, this::subtask);
    outputs.accounting(
        comparison.since(),
        comparison.sinceMs(),
        event -> {
          comparison.see(event);
          return true;
        });
    return comparison.losses();
  }

  /**
   * Finds reports that the job passes over; see {@link SkippedOffsets}.
   *
   * @param marks the restored marks
   * @param progress receives the topics, in the first subtask
   * @return the number of offsets; 0 except in the first subtask
   */
  public long skippedOffsets(List<LedgerMark> marks, LedgerProgress progress) throws IOException {
    if (!isFirst()) {
      return 0;
    }
    List<SourceRange> sources = outputs.sources();
    progress.reads(sources);
    return SkippedOffsets.count(marks, sources);
  }

  private boolean isFirst() {
    return task.getIndexOfThisSubtask() == 0;
  }

  /** Returns the subtask that judges a user's reports, of the given number of subtasks. */
  private int subtask(String userId, int parallelism) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(
        userId, task.getMaxNumberOfParallelSubtasks(), parallelism);
  }
}
