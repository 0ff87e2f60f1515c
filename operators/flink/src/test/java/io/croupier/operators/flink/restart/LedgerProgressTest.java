package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerProgressTest {
  private static final TopicEnd END = new TopicEnd(3, 4, List.of(8L));

  private final LedgerProgress progress = new LedgerProgress(List.of(), 0, 7, END);

  private static OfSubtask read(OutboundRecord record) throws Exception {
    return (OfSubtask) ProgressRecord.read(record.key, record.value);
  }

  /** An idle ledger writes nothing, so its transactions need not exist. */
  @Test
  void recordsOnlyWhatWasWrittenSince() throws Exception {
    assertThat(progress.record(2)).isEmpty();
    progress.judged("reports", 1, 5);
    progress.wrote();
    OfSubtask first = read(progress.record(2).orElseThrow());
    assertThat(first.index()).isEqualTo(2);
    assertThat(first.generation()).isEqualTo(7);
    assertThat(first.count()).isEqualTo(1);
    assertThat(first.judged().highest("reports", 0)).isEqualTo(SourcePositions.NONE);
    assertThat(first.judged().highest("reports", 1)).isEqualTo(5);
    assertThat(progress.record(2)).isEmpty();

    progress.judged("reports", 0, 3);
    progress.wrote();
    OfSubtask second = read(progress.record(2).orElseThrow());
    assertThat(second.count()).isEqualTo(2);
    assertThat(second.judged().highest("reports", 0)).isEqualTo(3);
    assertThat(second.judged().highest("reports", 1)).isEqualTo(5);
  }

  @Test
  void aMarkContainsTheNumberOfItsRecord() {
    progress.judged("reports", 0, 3);
    progress.wrote();
    progress.record(2);
    LedgerMark mark = progress.mark(11, 2, 4);
    assertThat(mark.generation).isEqualTo(7);
    assertThat(mark.records).isEqualTo(1);
    assertThat(mark.takenMs).isEqualTo(11);
    assertThat(TopicEnd.of(mark.progressIdHigh, mark.progressIdLow, mark.progressEnds))
        .isEqualTo(END);
    assertThat(mark.judged).containsExactly(3);

    LedgerProgress next = new LedgerProgress(List.of(mark), 12, 8, END);
    assertThat(next.record(2)).as("of another run").isEmpty();
    next.judged("reports", 0, 9);
    LedgerMark second = next.mark(13, 2, 4);
    assertThat(second.records).as("not recorded yet").isZero();
    assertThat(second.confirmed).containsExactly(3);
    assertThat(second.unconfirmed).containsExactly(9);
  }

  @Test
  void runsHaveDifferentNumbers() {
    assertThat(ProgressRecord.newGeneration())
        .isNotZero()
        .isNotEqualTo(ProgressRecord.newGeneration());
  }
}
