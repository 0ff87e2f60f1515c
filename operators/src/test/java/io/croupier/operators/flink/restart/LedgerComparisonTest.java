package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.LedgerComparison.LostPositions;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
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
    return AccountingEvent.newBuilder()
        .setUserId(user)
        .setSource(
            Position.newBuilder().setTopic("reports").setPartition(partition).setOffset(offset))
        .build();
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

    assertThat(comparison.losses()).isEmpty();
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

    assertThat(comparison.losses()).containsExactly(new LostPositions("reports", 0, 11, 18));
    assertThat(comparison.losses()).hasToString("[reports-0: 11..18]");
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

    assertThat(comparison.losses()).isEmpty();
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
    assertThat(comparison.losses()).isEmpty();
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> comparison.see(event("0", 0, 11)));
  }
}
