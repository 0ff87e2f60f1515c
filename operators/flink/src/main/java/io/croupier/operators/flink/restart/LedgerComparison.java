package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntBiFunction;

/**
 * Compares the ledger's restored state with the accounting events that are visible, if it can't be
 * compared with records of progress: the state of release 0.2.0 and that of a rebuild, and any
 * other state if the progress topic was created again. Visible events ahead of the state mean that
 * an older savepoint was restored, or that a second job continued from the same one: the start is
 * refused. Missing events mean that a broker has aborted a pre-committed transaction; only the
 * state of release 0.2.0 and of a rebuild shows which of them were to be visible.
 */
final class LedgerComparison {
  /**
   * The largest difference allowed between the clocks of brokers and workers, where the time of an
   * event decides whether it is compared.
   */
  private static final long CLOCK_SKEW_MS = 5 * 60_000;

  private final String accountingTopic;
  private final ToIntBiFunction<String, Integer> subtaskOf;
  private final List<LedgerMark> marks;
  private final SourcePositions judged;

  /** What is visible, by parallelism and index of the subtask that has judged it. */
  private final Map<Integer, Map<Integer, SourcePositions>> visible = new TreeMap<>();

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
    judged = SourcePositions.judged(marks);
    this.subtaskOf = subtaskOf;
    for (LedgerMark mark : marks) {
      visible
          .computeIfAbsent(mark.parallelism, parallelism -> new HashMap<>())
          .put(mark.subtask, new SourcePositions());
    }
  }

  /**
   * Returns the end of the accounting topic after which all events are that must be compared;
   * {@link TopicEnd#UNKNOWN} if a release without it has written a mark.
   */
  TopicEnd since() {
    return marks.stream()
        .map(LedgerComparison::confirmedEnd)
        .reduce(TopicEnd::earlier)
        .orElse(TopicEnd.UNKNOWN);
  }

  private static TopicEnd confirmedEnd(LedgerMark mark) {
    return mark.confirmedEnds.length == 0
        ? TopicEnd.UNKNOWN
        : TopicEnd.of(mark.accountingIdHigh, mark.accountingIdLow, mark.confirmedEnds);
  }

  /**
   * Returns the time since which events must be compared, so that no difference is missed;
   * milliseconds since 1970.
   */
  long sinceMs() {
    long since =
        marks.stream()
            .mapToLong(mark -> mark.takenMs == 0 ? mark.confirmedMs : mark.takenMs)
            .min()
            .orElseThrow();
    return Math.max(VisibleOutputs.ALL, since - CLOCK_SKEW_MS);
  }

  /**
   * Compares a visible event.
   *
   * @throws RefusedStartException if the state ends before it
   */
  void see(AccountingEvent event) {
    Position report = event.getSource();
    long known = judged.highest(report.getTopic(), report.getPartition());
    if (report.getOffset() > known) {
      throw older(
          accountingTopic, report.getTopic(), report.getPartition(), report.getOffset(), known);
    }
    visible.forEach(
        (parallelism, subtasks) -> {
          SourcePositions seen = subtasks.get(subtaskOf.applyAsInt(event.getUserId(), parallelism));
          if (seen != null) {
            seen.raise(report.getTopic(), report.getPartition(), report.getOffset());
          }
        });
  }

  /** Returns the refusal of a state that ends before a visible event. */
  static RefusedStartException older(
      String accountingTopic, String topic, int partition, long offset, long known) {
    return new RefusedStartException(
        "The restored state is older than the visible accounts: the accounting topic %s has the"
                .formatted(accountingTopic)
            + " report at %s-%d offset %d, and the state ends at offset %d. It comes from an older"
                .formatted(topic, partition, offset, known)
            + " savepoint or checkpoint, or another job has continued from the same one. Restore the"
            + " newest one; if it is lost, start without state and with --rebuild-ledger");
  }

  /** Returns the positions that the state has judged and that have no visible event. */
  List<LostPositions> losses() {
    List<LostPositions> losses = new ArrayList<>();
    for (LedgerMark mark : marks) {
      if (mark.generation == 0) {
        losses.addAll(losses(mark, visible.get(mark.parallelism).get(mark.subtask)));
      }
    }
    return losses;
  }

  /**
   * Returns the positions of a mark that have no visible event.
   *
   * @param seen the highest positions that are visible
   */
  static List<LostPositions> losses(LedgerMark mark, SourcePositions seen) {
    List<LostPositions> losses = new ArrayList<>();
    for (int i = 0; i < mark.topics.length; i++) {
      long highest = seen.highest(mark.topics[i], mark.partitions[i]);
      if (mark.unconfirmed[i] > highest) {
        long from = Math.max(highest, mark.confirmed[i]) + 1;
        losses.add(
            new LostPositions(mark.topics[i], mark.partitions[i], from, mark.unconfirmed[i]));
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
