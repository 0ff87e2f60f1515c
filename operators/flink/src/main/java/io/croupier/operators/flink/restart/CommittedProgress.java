package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.SourcePositions.PositionVisitor;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The newest committed records of the progress topic at a start. */
public final class CommittedProgress {
  private final TopicEnd end;
  private final Map<Integer, Committed> ledger = new TreeMap<>();
  private final Map<String, PublishedRound> rounds = new HashMap<>();

  /**
   * A record of a ledger subtask, and where it is on the topic.
   *
   * @param record the newest record of the subtask
   */
  record Committed(OfSubtask record, int partition, long offset) {
    /** Returns whether the record was written before the topic had this end. */
    boolean isBefore(TopicEnd end) {
      return partition < end.offsets().size() && offset < end.offsets().get(partition);
    }
  }

  /**
   * Creates the progress of an empty topic.
   *
   * @param end the end up to which the topic is read, before any subtask of this run has written to
   *     it
   */
  public CommittedProgress(TopicEnd end) {
    this.end = end;
  }

  /** Adds the newest committed record of a key. */
  public void add(ProgressRecord record, int partition, long offset) {
    if (record instanceof PublishedRound round) {
      rounds.put(round.modelId(), round);
    } else if (record instanceof OfSubtask subtask && subtask.writer() == ProgressWriter.LEDGER) {
      ledger.put(subtask.index(), new Committed(subtask, partition, offset));
    }
  }

  /** Returns the end up to which the topic was read. */
  public TopicEnd end() {
    return end;
  }

  /** Visits the highest offset of each source partition that a ledger subtask has judged. */
  public void forEachJudged(PositionVisitor visitor) {
    SourcePositions judged = new SourcePositions();
    ledger.values().forEach(committed -> judged.raise(committed.record().judged()));
    judged.forEach(visitor);
  }

  /** Returns the newest record of each ledger subtask, by its index. */
  Map<Integer, Committed> ledger() {
    return ledger;
  }

  /** Returns the newest record of each model. */
  Map<String, PublishedRound> rounds() {
    return rounds;
  }
}
