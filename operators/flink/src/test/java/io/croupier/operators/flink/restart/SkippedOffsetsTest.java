package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gradient topics of three partitions; the state has judged the reports up to 9, 4 and none. */
class SkippedOffsetsTest {
  private static final long ID = 7;

  private static SourceRange topic(long id, List<Long> beginnings, List<Long> ends) {
    return new SourceRange("reports", new TopicEnd(id, 1, beginnings), new TopicEnd(id, 1, ends));
  }

  private static LedgerMark mark() {
    LedgerProgress progress = new LedgerProgress(List.of(), 0, 3, TopicEnd.UNKNOWN);
    progress.reads(List.of(topic(ID, List.of(0L, 0L, 0L), List.of(0L, 0L, 0L))));
    progress.judged("reports", 0, 9);
    progress.judged("reports", 1, 4);
    return progress.mark(1, 0, 1);
  }

  private static long skipped(LedgerMark mark, SourceRange now) {
    return SkippedOffsets.count(List.of(mark), List.of(now));
  }

  @Test
  void nothingIsSkippedIfTheNextReportsAreThere() {
    assertThat(skipped(mark(), topic(ID, List.of(10L, 2L, 8L), List.of(10L, 9L, 9L)))).isZero();
    assertThat(SkippedOffsets.count(List.of(), List.of(topic(ID, List.of(5L), List.of(9L)))))
        .as("without state")
        .isZero();
  }

  @Test
  void countsDeletedOffsets() {
    assertThat(skipped(mark(), topic(ID, List.of(13L, 7L, 8L), List.of(20L, 9L, 9L))))
        .as("10..12 and 5..6")
        .isEqualTo(5);
  }

  /** A state up to release 0.2.0 has no id. */
  @Test
  void countsDeletedOffsetsWithoutAnId() {
    LedgerMark former = mark();
    former.sources = new String[0];
    assertThat(skipped(former, topic(ID + 1, List.of(13L, 5L, 0L), List.of(20L, 9L, 9L))))
        .isEqualTo(3);
  }

  /** The job continues at offsets 10 and 5, or at the beginning if the partition is shorter. */
  @Test
  void countsTheReportsOfAnotherTopicBeforeTheRestoredOffsets() {
    assertThat(skipped(mark(), topic(ID + 1, List.of(0L, 0L, 0L), List.of(9L, 5L, 9L))))
        .as("0..4 of partition 1")
        .isEqualTo(5);
    assertThat(skipped(mark(), topic(ID + 1, List.of(8L, 6L, 0L), List.of(10L, 9L, 9L))))
        .as("8..9 of partition 0")
        .isEqualTo(2);
  }
}
