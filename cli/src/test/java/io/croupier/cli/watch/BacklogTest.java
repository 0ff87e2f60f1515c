package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final TopicPartition FIRST = new TopicPartition("gradients", 0);
  private static final TopicPartition SECOND = new TopicPartition("gradients", 1);

  private final Backlog backlog = new Backlog();

  @Test
  void countsTheReportsAfterTheNewestVerdict() {
    backlog.judged(FIRST, 6, 1000);
    assertThat(backlog.reports()).isEmpty();
    // Of the second partition no verdict is known: its reports of the past have had theirs.
    backlog.ends(Map.of(FIRST, 10L, SECOND, 100L), 2000);
    assertThat(backlog.reports()).hasValue(3);
    backlog.ends(Map.of(SECOND, 104L), 3000);
    assertThat(backlog.reports()).hasValue(7);
    backlog.judged(FIRST, 9, 4000);
    backlog.judged(SECOND, 103, 5000);
    assertThat(backlog.reports()).hasValue(0);
    // A verdict may become visible before the end is asked for.
    backlog.judged(FIRST, 12, 6000);
    assertThat(backlog.reports()).hasValue(0);
  }

  @Test
  void isStuckSinceTheNewestVerdictOrTheFirstReportThatWaits() {
    backlog.ends(Map.of(FIRST, 10L), 1000);
    backlog.ends(Map.of(FIRST, 10L), 9000);
    backlog.ends(Map.of(FIRST, 12L), 11_000);
    assertThat(backlog.stuckMs(12_000)).isEqualTo(3000);
    backlog.judged(FIRST, 10, 20_000);
    assertThat(backlog.stuckMs(21_000)).isEqualTo(1000);
    // A verdict that was read before is no progress.
    backlog.judged(FIRST, 5, 30_000);
    backlog.ends(Map.of(FIRST, 12L), 30_000);
    assertThat(backlog.stuckMs(31_000)).isEqualTo(11_000);
    backlog.judged(FIRST, 11, 40_000);
    backlog.ends(Map.of(FIRST, 12L), 50_000);
    assertThat(backlog.stuckMs(50_000)).isZero();
  }
}
