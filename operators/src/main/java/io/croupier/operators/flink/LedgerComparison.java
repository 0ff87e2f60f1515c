package io.croupier.operators.flink;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntBiFunction;

/**
 * Compares the ledger's restored state with the accounting events that are visible. What is visible
 * must not be ahead of the state: an older savepoint was restored, or a second job went on from the
 * same one. Where it is behind, a broker has taken back what was pre-committed.
 */
final class LedgerComparison {
  /** Most by which the clocks of brokers and workers may differ. */
  private static final long CLOCK_SKEW_MS = 5 * 60_000;

  private final String accountingTopic;
  private final ToIntBiFunction<String, Integer> subtaskOf;
  private final List<LedgerMark> marks;
  private final SourcePositions judged = new SourcePositions();
  private final Map<LedgerMark, SourcePositions> visible = new LinkedHashMap<>();

  /**
   * A comparison that has seen no event yet.
   *
   * @param marks of all subtasks; at least one
   * @param subtaskOf which subtask judges a user's reports, of a given number of them
   */
  LedgerComparison(
      String accountingTopic, List<LedgerMark> marks, ToIntBiFunction<String, Integer> subtaskOf) {
    this.accountingTopic = accountingTopic;
    this.marks = marks;
    this.subtaskOf = subtaskOf;
    for (LedgerMark mark : marks) {
      visible.put(mark, new SourcePositions());
      for (int i = 0; i < mark.topics.length; i++) {
        judged.raise(mark.topics[i], mark.partitions[i], mark.judged[i]);
      }
    }
  }

  /** Since when events have to be seen, so that none is missed that tells a difference. */
  long sinceMs() {
    long confirmed = marks.stream().mapToLong(mark -> mark.confirmedMs).min().orElseThrow();
    return Math.max(VisibleOutputs.ALL, confirmed - CLOCK_SKEW_MS);
  }

  /**
   * Sees a visible event.
   *
   * @throws RefusedStartException if the state doesn't know of it
   */
  void see(AccountingEvent event) {
    Position source = event.getSource();
    long known = judged.highest(source.getTopic(), source.getPartition());
    if (source.getOffset() > known) {
      throw new RefusedStartException(
          "The restored state is older than what is visible: the accounting topic %s holds the"
                  .formatted(accountingTopic)
              + " report at %s-%d offset %d, and the state ends at offset %d. It is of an older"
                  .formatted(source.getTopic(), source.getPartition(), source.getOffset(), known)
              + " savepoint or checkpoint, or another job went on from the same one. Restore the"
              + " newest one; if that is lost, start without state and with --rebuild-ledger");
    }
    for (LedgerMark mark : marks) {
      if (subtaskOf.applyAsInt(event.getUserId(), mark.parallelism) == mark.subtask) {
        visible.get(mark).raise(source.getTopic(), source.getPartition(), source.getOffset());
      }
    }
  }

  /** What the state has judged and no visible event tells of; to be asked at the end. */
  List<LostPositions> losses() {
    List<LostPositions> losses = new ArrayList<>();
    for (LedgerMark mark : marks) {
      for (int i = 0; i < mark.topics.length; i++) {
        long seen = visible.get(mark).highest(mark.topics[i], mark.partitions[i]);
        if (mark.unconfirmed[i] > seen) {
          long from = Math.max(seen, mark.confirmed[i]) + 1;
          losses.add(
              new LostPositions(mark.topics[i], mark.partitions[i], from, mark.unconfirmed[i]));
        }
      }
    }
    return losses;
  }

  /**
   * Positions of one partition among which are some whose outputs were taken back.
   *
   * @param from the first that may be lost
   * @param to the last, which is
   */
  record LostPositions(String topic, int partition, long from, long to) {
    @Override
    public String toString() {
      return "%s-%d: %d..%d".formatted(topic, partition, from, to);
    }
  }
}
