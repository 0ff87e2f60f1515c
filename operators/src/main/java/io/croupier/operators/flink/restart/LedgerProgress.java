package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The progress of one subtask of the ledger, and the part of it that no complete checkpoint covers
 * yet. Outputs of the covered part are committed, or will be when the checkpoint is restored.
 */
public final class LedgerProgress {
  /**
   * How much older than a checkpoint the end of the accounting topic is that the checkpoint stores.
   * An end that was looked up right before the checkpoint would do for the events of this job; an
   * older one also includes the last events of a second job that ran at the same time.
   */
  private static final long OVERLAP_MS = 10_000;

  /**
   * The most checkpoints that may become complete; more accumulate if all of them fail, or if the
   * operator isn't notified. An older one that completes confirms nothing, which only makes a start
   * compare more.
   */
  static final int MOST_PENDING = 64;

  private final SourcePositions restored = new SourcePositions();
  private final SourcePositions own = new SourcePositions();
  private final Deque<SnapshotProgress> pending = new ArrayDeque<>();
  private final Deque<LookedUpEnd> ends = new ArrayDeque<>();
  private SourcePositions confirmed = new SourcePositions();
  private long confirmedMs;
  private TopicEnd confirmedEnd = TopicEnd.UNKNOWN;

  /** An end that was known {@link #OVERLAP_MS} ago. */
  private TopicEnd overlappingEnd = TopicEnd.UNKNOWN;

  /**
   * Creates the progress of a subtask that starts.
   *
   * @param marks the restored marks of all subtasks
   */
  public LedgerProgress(List<LedgerMark> marks, long nowMs) {
    for (LedgerMark mark : marks) {
      for (int i = 0; i < mark.topics.length; i++) {
        restored.raise(mark.topics[i], mark.partitions[i], mark.judged[i]);
      }
    }
    confirmedMs = nowMs;
  }

  /** Records a report that was judged before the job started and that no mark covers. */
  public void judgedBefore(String topic, int partition, long offset) {
    restored.raise(topic, partition, offset);
  }

  /**
   * Records where the accounting topic ended at the start, before this subtask judged a report.
   * Without it, the marks contain no end.
   */
  public void startsAt(TopicEnd end) {
    confirmedEnd = end;
    overlappingEnd = end;
  }

  /** Records where the accounting topic ended at some time before now. */
  public void ended(TopicEnd end, long nowMs) {
    overlap(nowMs);
    if (ends.isEmpty() || !ends.peekLast().end().equals(end)) {
      ends.add(new LookedUpEnd(nowMs, end));
    }
  }

  private void overlap(long nowMs) {
    while (!ends.isEmpty() && ends.peek().atMs() <= nowMs - OVERLAP_MS) {
      overlappingEnd = ends.remove().end();
    }
  }

  /** Visits each source partition, and the highest offset judged before the job started. */
  public void forEachJudgedBefore(SourcePositions.PositionVisitor visitor) {
    restored.forEach(visitor);
  }

  /** Records that a report was judged. */
  public void judged(String topic, int partition, long offset) {
    own.raise(topic, partition, offset);
  }

  /** Returns the mark to store at a checkpoint. */
  public LedgerMark mark(long checkpointId, long nowMs, int subtask, int parallelism) {
    SourcePositions taken = new SourcePositions();
    taken.raise(own);
    overlap(nowMs);
    pending.add(new SnapshotProgress(checkpointId, nowMs, taken, overlappingEnd));
    if (pending.size() > MOST_PENDING) {
      pending.remove();
    }
    SourcePositions judged = new SourcePositions();
    judged.raise(restored);
    judged.raise(own);
    LedgerMark mark = new LedgerMark();
    mark.subtask = subtask;
    mark.parallelism = parallelism;
    mark.confirmedMs = confirmedMs;
    mark.accountingIdHigh = confirmedEnd.idHigh();
    mark.accountingIdLow = confirmedEnd.idLow();
    mark.confirmedEnds = confirmedEnd.offsets().stream().mapToLong(Long::longValue).toArray();
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
          long mine = own.highest(topic, partition);
          mark.topics[i] = topic;
          mark.partitions[i] = partition;
          mark.judged[i] = offset;
          mark.confirmed[i] = confirmed.highest(topic, partition);
          mark.unconfirmed[i] = mine > mark.confirmed[i] ? mine : SourcePositions.NONE;
        });
    return mark;
  }

  /** Records that a checkpoint is complete. */
  public void completed(long checkpointId) {
    while (!pending.isEmpty() && pending.peek().checkpointId() <= checkpointId) {
      SnapshotProgress taken = pending.remove();
      confirmed = taken.own();
      confirmedMs = taken.atMs();
      confirmedEnd = taken.end();
    }
  }

  private record SnapshotProgress(
      long checkpointId, long atMs, SourcePositions own, TopicEnd end) {}

  /** An end of the accounting topic, and when it was known. */
  private record LookedUpEnd(long atMs, TopicEnd end) {}
}
