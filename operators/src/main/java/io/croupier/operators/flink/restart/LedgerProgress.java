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
  private final SourcePositions restored = new SourcePositions();
  private final SourcePositions own = new SourcePositions();
  private final Deque<SnapshotProgress> pending = new ArrayDeque<>();
  private SourcePositions confirmed = new SourcePositions();
  private long confirmedMs;

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
  void judgedBefore(String topic, int partition, long offset) {
    restored.raise(topic, partition, offset);
  }

  /** Records that a report was judged. */
  public void judged(String topic, int partition, long offset) {
    own.raise(topic, partition, offset);
  }

  /** Returns the mark to store at a checkpoint. */
  public LedgerMark mark(long checkpointId, long nowMs, int subtask, int parallelism) {
    SourcePositions taken = new SourcePositions();
    taken.raise(own);
    pending.add(new SnapshotProgress(checkpointId, nowMs, taken));
    SourcePositions judged = new SourcePositions();
    judged.raise(restored);
    judged.raise(own);
    LedgerMark mark = new LedgerMark();
    mark.subtask = subtask;
    mark.parallelism = parallelism;
    mark.confirmedMs = confirmedMs;
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
    }
  }

  private record SnapshotProgress(long checkpointId, long atMs, SourcePositions own) {}
}
