package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntBiFunction;

/**
 * Compares the ledger's restored state with the accounting events that are visible. Visible events
 * ahead of the state mean that an older savepoint was restored, or that a second job continued from
 * the same one: the start is refused. Missing events mean that a broker has aborted a pre-committed
 * transaction.
 */
final class LedgerComparison {
  /** The largest difference allowed between the clocks of brokers and workers. */
  private static final long CLOCK_SKEW_MS = 5 * 60_000;

  private final String accountingTopic;
  private final ToIntBiFunction<String, Integer> subtaskOf;
  private final List<LedgerMark> marks;
  private final SourcePositions judged = new SourcePositions();
  private final Map<LedgerMark, SourcePositions> visible = new LinkedHashMap<>();

  /**
   * Creates a comparison that has seen no event yet.
   *
   * @param marks of all subtasks; at least one
   * @param subtaskOf which subtask judges a user's reports, given the number of subtasks
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

  /**
   * Returns the time since which events must be compared, so that no difference is missed;
   * milliseconds since 1970.
   */
  long sinceMs() {
    long confirmed = marks.stream().mapToLong(mark -> mark.confirmedMs).min().orElseThrow();
    return Math.max(VisibleOutputs.ALL, confirmed - CLOCK_SKEW_MS);
  }

  /**
   * Compares a visible event.
   *
   * @throws RefusedStartException if the state ends before it
   */
  void see(AccountingEvent event) {
    Position source = event.getSource();
    long known = judged.highest(source.getTopic(), source.getPartition());
    if (source.getOffset() > known) {
      throw new RefusedStartException(
          "The restored state is older than the visible accounts: the accounting topic %s has the"
                  .formatted(accountingTopic)
              + " report at %s-%d offset %d, and the state ends at offset %d. It comes from an older"
                  .formatted(source.getTopic(), source.getPartition(), source.getOffset(), known)
              + " savepoint or checkpoint, or another job has continued from the same one. Restore the"
              + " newest one; if it is lost, start without state and with --rebuild-ledger");
    }
    for (LedgerMark mark : marks) {
      if (subtaskOf.applyAsInt(event.getUserId(), mark.parallelism) == mark.subtask) {
        visible.get(mark).raise(source.getTopic(), source.getPartition(), source.getOffset());
      }
    }
  }

  /**
   * Returns the positions that the state has judged and that have no visible event. Call it after
   * the last event.
   */
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
   * A range of positions of one partition, some of whose outputs were aborted.
   *
   * @param from the first position that may be lost
   * @param to the last position, which is lost
   */
  record LostPositions(String topic, int partition, long from, long to) {
    @Override
    public String toString() {
      return "%s-%d: %d..%d".formatted(topic, partition, from, to);
    }
  }
}
