package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.operators.flink.restart.VisibleOutputs.AccountedReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The ledger's marks against visible events. Users are named after their subtask. */
class LedgerComparisonTest {
  private static final long HOUR_MS = 3_600_000;

  private static LedgerComparison comparison(LedgerMark... marks) {
    return new LedgerComparison(
        "accounts", List.of(marks), (user, parallelism) -> Integer.parseInt(user) % parallelism);
  }

  private static AccountedReport event(String user, int partition, long offset) {
    return new AccountedReport(user, "reports", partition, offset);
  }

  private static List<LostPositions> losses(LedgerComparison comparison) {
    return comparison.losses(comparison.visible());
  }

  @Test
  void findsNoLossIfAllJudgedPositionsAreVisible() {
    LedgerProgress progress = new LedgerProgress(List.of(), HOUR_MS);
    progress.judged("reports", 0, 7);
    progress.judged("reports", 1, 3);
    progress.judged("reports", 0, 5);
    LedgerComparison comparison = comparison(progress.mark(1, HOUR_MS + 1, 0, 1));

    comparison.see(event("0", 0, 7));
    comparison.see(event("0", 1, 3));

    assertThat(losses(comparison)).isEmpty();
    assertThat(comparison.sinceMs()).isEqualTo(HOUR_MS - 300_000);
  }

  @Test
  void refusesAStateOlderThanTheVisibleEvents() {
    LedgerProgress progress = new LedgerProgress(List.of(), 0);
    progress.judged("reports", 0, 7);
    LedgerComparison comparison = comparison(progress.mark(1, 1, 0, 1));
    comparison.see(event("0", 0, 7));

    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> comparison.see(event("0", 0, 8)))
        .withMessageContaining("accounts")
        .withMessageContaining("reports-0 offset 8")
        .withMessageContaining("ends at offset 7")
        .withMessageContaining("--rebuild-ledger");
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> comparison.see(event("0", 2, 0)))
        .withMessageContaining("reports-2 offset 0");
  }

  @Test
  void namesTheLossOfOneSubtaskThoughAnotherIsFurther() {
    LedgerProgress first = new LedgerProgress(List.of(), 0);
    LedgerProgress second = new LedgerProgress(List.of(), 0);
    first.judged("reports", 0, 10);
    second.judged("reports", 0, 11);
    first.mark(1, 5, 0, 2);
    first.completed(1);
    first.judged("reports", 0, 18);
    second.judged("reports", 0, 19);
    LedgerComparison comparison = comparison(first.mark(2, 9, 0, 2), second.mark(2, 9, 1, 2));

    comparison.see(event("1", 0, 11));
    comparison.see(event("1", 0, 19));

    assertThat(losses(comparison)).containsExactly(new LostPositions("reports", 0, 11, 18));
    assertThat(losses(comparison)).hasToString("[reports-0: 11..18]");
  }

  @Test
  void expectsNoEventsOfPartitionsIdleSinceACompleteCheckpoint() {
    LedgerProgress progress = new LedgerProgress(List.of(), HOUR_MS);
    progress.judged("reports", 0, 10);
    progress.mark(1, 2 * HOUR_MS, 0, 1);
    progress.completed(1);
    progress.judged("reports", 1, 4);
    LedgerComparison comparison = comparison(progress.mark(2, 3 * HOUR_MS, 0, 1));

    comparison.see(event("0", 1, 4));

    assertThat(losses(comparison)).isEmpty();
    assertThat(comparison.sinceMs()).isEqualTo(2 * HOUR_MS - 300_000);
  }

  @Test
  void combinesTheMarksOfAllSubtasksAfterARestore() {
    LedgerProgress first = new LedgerProgress(List.of(), 0);
    LedgerProgress second = new LedgerProgress(List.of(), 0);
    first.judged("reports", 0, 10);
    second.judged("reports", 1, 11);
    List<LedgerMark> marks = List.of(first.mark(1, 1, 0, 2), second.mark(1, 1, 1, 2));

    LedgerProgress restored = new LedgerProgress(marks, HOUR_MS);
    restored.judged("reports", 1, 12);
    LedgerComparison comparison = comparison(restored.mark(2, HOUR_MS + 1, 0, 1));

    comparison.see(event("0", 0, 10));
    comparison.see(event("0", 1, 12));
    assertThat(losses(comparison)).isEmpty();
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> comparison.see(event("0", 0, 11)));
  }

  /** Each subtask sees a share of the events; the highest of all decides. */
  @Test
  void subtasksFindLossesTogether() {
    LedgerProgress first = new LedgerProgress(List.of(), 0);
    LedgerProgress second = new LedgerProgress(List.of(), 0);
    first.judged("reports", 0, 18);
    second.judged("reports", 0, 19);
    LedgerMark[] marks = {first.mark(2, 9, 0, 2), second.mark(2, 9, 1, 2)};
    LedgerComparison one = comparison(marks);
    LedgerComparison other = comparison(marks[1], marks[0]);

    one.see(event("0", 0, 16));
    one.see(event("1", 0, 19));
    other.see(event("0", 0, 17));
    Map<String, Long> all = new HashMap<>(one.visible());
    other.visible().forEach((name, offset) -> all.merge(name, offset, Math::max));
    assertThat(one.losses(all)).containsExactly(new LostPositions("reports", 0, 18, 18));

    other.see(event("2", 0, 18));
    other.visible().forEach((name, offset) -> all.merge(name, offset, Math::max));
    assertThat(one.losses(all)).isEmpty();
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> other.see(event("1", 0, 20)));
  }

  /** The end that a mark stores is older than every event that it doesn't know to be committed. */
  @Test
  void readsFromAnEndBeforeTheUnconfirmedEvents() {
    LedgerProgress progress = new LedgerProgress(List.of(), 0);
    assertThat(comparison(progress.mark(1, 1, 0, 1)).since()).isEqualTo(TopicEnd.UNKNOWN);
    progress.startsAt(end(5, 5));
    progress.ended(end(6, 7), 1_000);
    progress.ended(end(8, 8), 4_000);
    progress.mark(2, 11_500, 0, 1);
    assertThat(comparison(progress.mark(3, 13_000, 0, 1)).since())
        .as("no checkpoint is complete")
        .isEqualTo(end(5, 5));

    progress.completed(2);
    assertThat(comparison(progress.mark(4, 14_000, 0, 1)).since())
        .as("known 10 s before checkpoint 2")
        .isEqualTo(end(6, 7));
    progress.completed(4);
    assertThat(comparison(progress.mark(5, 15_000, 0, 1)).since()).isEqualTo(end(8, 8));
  }

  @Test
  void readsFromTheEarliestEndOfAllSubtasks() {
    LedgerProgress first = new LedgerProgress(List.of(), 0);
    LedgerProgress second = new LedgerProgress(List.of(), 0);
    first.startsAt(end(5, 9));
    second.startsAt(end(7, 3));
    LedgerMark[] marks = {first.mark(1, 1, 0, 2), second.mark(1, 1, 1, 2)};
    assertThat(comparison(marks).since()).isEqualTo(end(5, 3));

    LedgerMark old = new LedgerProgress(List.of(), 0).mark(1, 1, 0, 2);
    assertThat(comparison(marks[0], old).since())
        .as("one mark of a release without ends")
        .isEqualTo(TopicEnd.UNKNOWN);
    second.startsAt(new TopicEnd(4, 4, List.of(9L, 9L)));
    assertThat(comparison(marks[0], second.mark(2, 1, 1, 2)).since())
        .as("of another topic")
        .isEqualTo(TopicEnd.UNKNOWN);
  }

  private static TopicEnd end(long first, long second) {
    return new TopicEnd(3, 4, List.of(first, second));
  }
}
