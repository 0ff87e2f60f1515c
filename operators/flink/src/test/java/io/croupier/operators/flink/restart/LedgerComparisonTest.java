package io.croupier.operators.flink.restart;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.schemas.AccountingEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ledger's marks against visible events. Users are named after their subtask. */
class LedgerComparisonTest {
  private static final long HOUR_MS = 3_600_000;

  private static LedgerComparison comparison(LedgerMark... marks) {
    return new LedgerComparison(
        "accounts", List.of(marks), (user, parallelism) -> Integer.parseInt(user) % parallelism);
  }

  private static AccountingEvent event(String user, int partition, long offset) {
    return LedgerTasks.event(user, "reports", partition, offset);
  }

  /** A mark as release 0.2.0 wrote it; partition {@code i} has the {@code i}-th positions. */
  private static LedgerMark mark(
      int subtask,
      int parallelism,
      long confirmedMs,
      long[] judged,
      long[] confirmed,
      long[] since) {
    LedgerMark mark = new LedgerMark();
    mark.subtask = subtask;
    mark.parallelism = parallelism;
    mark.confirmedMs = confirmedMs;
    mark.topics = new String[judged.length];
    mark.partitions = new int[judged.length];
    for (int i = 0; i < judged.length; i++) {
      mark.topics[i] = "reports";
      mark.partitions[i] = i;
    }
    mark.judged = judged;
    mark.confirmed = confirmed;
    mark.unconfirmed = since;
    return mark;
  }

  private static long[] at(long... offsets) {
    return offsets;
  }

  @Test
  void findsNoLossIfAllJudgedPositionsAreVisible() {
    LedgerComparison comparison = comparison(mark(0, 1, HOUR_MS, at(7, 3), at(-1, -1), at(7, 3)));

    comparison.see(event("0", 0, 7));
    comparison.see(event("0", 1, 3));

    assertThat(comparison.losses()).isEmpty();
    assertThat(comparison.sinceMs()).isEqualTo(HOUR_MS - 300_000);
  }

  @Test
  void refusesAStateOlderThanTheVisibleEvents() {
    LedgerComparison comparison = comparison(mark(0, 1, 0, at(7), at(-1), at(7)));
    comparison.see(event("0", 0, 7));

    assertRefused(
        () -> comparison.see(event("0", 0, 8)),
        "accounts",
        "reports-0 offset 8",
        "ends at offset 7",
        "--rebuild-ledger");
    assertRefused(() -> comparison.see(event("0", 2, 0)), "reports-2 offset 0");
  }

  @Test
  void namesTheLossOfOneSubtaskThoughAnotherIsFurther() {
    LedgerComparison comparison =
        comparison(mark(0, 2, 5, at(18), at(10), at(18)), mark(1, 2, 0, at(19), at(-1), at(19)));

    comparison.see(event("1", 0, 11));
    comparison.see(event("1", 0, 19));

    assertThat(comparison.losses()).containsExactly(new LostPositions("reports", 0, 11, 18));
    assertThat(comparison.losses()).hasToString("[reports-0: 11..18]");
  }

  @Test
  void expectsNoEventsOfPartitionsIdleSinceACompleteCheckpoint() {
    LedgerComparison comparison =
        comparison(mark(0, 1, 2 * HOUR_MS, at(10, 4), at(10, -1), at(-1, 4)));

    comparison.see(event("0", 1, 4));

    assertThat(comparison.losses()).isEmpty();
    assertThat(comparison.sinceMs()).isEqualTo(2 * HOUR_MS - 300_000);
  }

  @Test
  void readsFromTheEarliestEndOfAllSubtasks() {
    LedgerMark first = mark(0, 2, 1, at(), at(), at());
    LedgerMark second = mark(1, 2, 1, at(), at(), at());
    assertThat(comparison(first, second).since())
        .as("marks of a release without ends")
        .isEqualTo(TopicEnd.UNKNOWN);
    ends(first, 3, 5, 9);
    assertThat(comparison(first, second).since()).isEqualTo(TopicEnd.UNKNOWN);
    ends(second, 3, 7, 3);
    assertThat(comparison(first, second).since()).isEqualTo(new TopicEnd(3, 4, List.of(5L, 3L)));
    ends(second, 4, 9, 9);
    assertThat(comparison(first, second).since())
        .as("of another topic")
        .isEqualTo(TopicEnd.UNKNOWN);
  }

  private static void ends(LedgerMark mark, long id, long... ends) {
    mark.accountingIdHigh = id;
    mark.accountingIdLow = 4;
    mark.confirmedEnds = ends;
  }

  /** Such a mark is compared with events only if the progress topic was created again. */
  @Test
  void aMarkWithRecordsOfProgressShowsNoLosses() {
    LedgerProgress progress = new LedgerProgress(List.of(), 1, 7, TopicEnd.UNKNOWN);
    progress.judged("reports", 0, 7);
    LedgerComparison comparison = comparison(progress.mark(HOUR_MS, 0, 1));
    assertThat(comparison.losses()).isEmpty();
    assertThat(comparison.sinceMs()).isEqualTo(HOUR_MS - 300_000);
    assertRefused(() -> comparison.see(event("0", 0, 8)), "reports-0 offset 8");
  }
}
