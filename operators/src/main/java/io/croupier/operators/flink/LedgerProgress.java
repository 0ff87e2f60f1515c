package io.croupier.operators.flink;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How far one subtask of the ledger has come, and how much of that no complete checkpoint covers
 * yet: outputs of the rest are committed, or will be when the checkpoint is restored.
 */
final class LedgerProgress {
  private final SourcePositions restored = new SourcePositions();
  private final SourcePositions own = new SourcePositions();
  private final Deque<SnapshotProgress> pending = new ArrayDeque<>();
  private SourcePositions confirmed = new SourcePositions();
  private long confirmedMs;

  /**
   * The progress of a subtask that starts.
   *
   * @param marks of all subtasks, as they were restored
   */
  LedgerProgress(List<LedgerMark> marks, long nowMs) {
    for (LedgerMark mark : marks) {
      for (int i = 0; i < mark.topics.length; i++) {
        restored.raise(mark.topics[i], mark.partitions[i], mark.judged[i]);
      }
    }
    confirmedMs = nowMs;
  }

  /** Notes that a report was judged before the job started, of which no mark says so. */
  void judgedBefore(String topic, int partition, long offset) {
    restored.raise(topic, partition, offset);
  }

  /** Notes that a report was judged. */
  void judged(String topic, int partition, long offset) {
    own.raise(topic, partition, offset);
  }

  /** The mark to store at a checkpoint. */
  LedgerMark mark(long checkpointId, long nowMs, int subtask, int parallelism) {
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

  /** Notes that a checkpoint is complete. */
  void completed(long checkpointId) {
    while (!pending.isEmpty() && pending.peek().checkpointId() <= checkpointId) {
      SnapshotProgress taken = pending.remove();
      confirmed = taken.own();
      confirmedMs = taken.atMs();
    }
  }

  private record SnapshotProgress(long checkpointId, long atMs, SourcePositions own) {}
}
