package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LedgerMark;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerProgressTest {
  private static final int LAST = 3 * LedgerProgress.MOST_PENDING;

  private final LedgerProgress progress = new LedgerProgress(List.of(), 0);

  /** Takes checkpoints of which none completes; number {@code i} covers offset {@code i}. */
  private void takeCheckpoints() {
    for (int i = 1; i <= LAST; i++) {
      progress.judged("reports", 0, i);
      progress.mark(i, i, 0, 1);
    }
  }

  private LedgerMark next() {
    return progress.mark(LAST + 1, LAST + 1, 0, 1);
  }

  @Test
  void theNewestCheckpointsMayBecomeComplete() {
    takeCheckpoints();
    int oldest = LAST - LedgerProgress.MOST_PENDING + 1;

    progress.completed(oldest);

    assertThat(next().confirmed).containsExactly(oldest);
  }

  /** Otherwise a job whose checkpoints all fail would remember each of them. */
  @Test
  void olderCheckpointsAreForgotten() {
    takeCheckpoints();

    progress.completed(LAST - LedgerProgress.MOST_PENDING);

    assertThat(next().confirmed).containsExactly(SourcePositions.NONE);
    assertThat(next().confirmedMs).isZero();
  }
}
