package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import java.util.List;
import java.util.Optional;

/**
 * What one subtask of the ledger has judged: before it started, according to the restored state,
 * and since. A record of the latter is written before each checkpoint; the mark that the checkpoint
 * stores contains the number of this record.
 */
public final class LedgerProgress {
  private final SourcePositions restored;
  private final SourcePositions own = new SourcePositions();
  private final long startedMs;
  private final long generation;
  private final TopicEnd progressEnd;
  private List<SourceRange> sources = List.of();
  private long records;
  private boolean unrecorded;

  /**
   * Creates the progress of a subtask that starts.
   *
   * @param marks the restored marks of all subtasks
   * @param generation number of this run; 0 for one that writes no records
   * @param progressEnd the end of the progress topic before this run
   */
  public LedgerProgress(List<LedgerMark> marks, long nowMs, long generation, TopicEnd progressEnd) {
    restored = SourcePositions.judged(marks);
    startedMs = nowMs;
    this.generation = generation;
    this.progressEnd = progressEnd;
  }

  /** Sets the gradient topics, whose ids the marks contain from then on. */
  public void reads(List<SourceRange> topics) {
    sources = topics;
  }

  /** Records a report that was judged before the job started and that no mark covers. */
  public void judgedBefore(String topic, int partition, long offset) {
    restored.raise(topic, partition, offset);
  }

  /** Visits each source partition, and the highest offset judged before the job started. */
  public void forEachJudgedBefore(SourcePositions.PositionVisitor visitor) {
    restored.forEach(visitor);
  }

  /** Records that a report was judged. */
  public void judged(String topic, int partition, long offset) {
    own.raise(topic, partition, offset);
  }

  /** Records that an output was written: its transaction gets a record, or may be ended. */
  public void wrote() {
    unrecorded = true;
  }

  /**
   * Returns the next record, to be written before a barrier; empty if nothing was written since.
   */
  public Optional<OutboundRecord> record(int subtask) {
    if (!unrecorded) {
      return Optional.empty();
    }
    unrecorded = false;
    records++;
    return Optional.of(
        new OfSubtask(ProgressWriter.LEDGER, subtask, generation, records, own).write());
  }

  /** Returns the mark to store at a checkpoint. */
  public LedgerMark mark(long nowMs, int subtask, int parallelism) {
    SourcePositions judged = new SourcePositions();
    judged.raise(restored);
    judged.raise(own);
    LedgerMark mark = new LedgerMark();
    mark.subtask = subtask;
    mark.parallelism = parallelism;
    mark.takenMs = nowMs;
    mark.generation = generation;
    mark.records = records;
    mark.progressIdHigh = progressEnd.idHigh();
    mark.progressIdLow = progressEnd.idLow();
    mark.progressEnds = progressEnd.offsetArray();
    mark.sources = sources.stream().map(SourceRange::topic).toArray(String[]::new);
    mark.sourceIdsHigh = sources.stream().mapToLong(source -> source.end().idHigh()).toArray();
    mark.sourceIdsLow = sources.stream().mapToLong(source -> source.end().idLow()).toArray();
    mark.confirmedMs = startedMs;
    int partitions = judged.size();
    mark.topics = new String[partitions];
    mark.partitions = new int[partitions];
    mark.judged = new long[partitions];
    mark.confirmed = new long[partitions];
    mark.unconfirmed = new long[partitions];
    int[] next = {0};
    judged.forEach(
        (topic, partition, offset) -> {
          int i = next[0]++;
          mark.topics[i] = topic;
          mark.partitions[i] = partition;
          mark.judged[i] = offset;
          mark.confirmed[i] = restored.highest(topic, partition);
          mark.unconfirmed[i] = own.highest(topic, partition);
        });
    return mark;
  }
}
