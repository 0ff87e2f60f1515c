package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundCountsTest {
  private static final int MOST = 64;

  private final RoundCounts counts = new RoundCounts(MOST);
  private long invented = 1_000_000;

  private long reports(String modelId, long round, int reports) {
    long before = 0;
    for (int i = 0; i < reports; i++) {
      before = counts.add(modelId, round, 0);
    }
    return before + 1;
  }

  private void invent(int rounds) {
    for (int i = 0; i < rounds; i++) {
      counts.add("m", invented++, 0);
      assertThat(counts.size()).isLessThanOrEqualTo(MOST);
    }
  }

  @Test
  void usageExample() {
    assertThat(counts.add("m", 7, 0)).isZero();
    assertThat(counts.add("m", 7, 0)).isEqualTo(1);
    assertThat(counts.add("m", 8, 0)).isZero();
    assertThat(counts.add("n", 7, 0)).isZero();
    assertThat(counts.add("m", 7, 0)).isEqualTo(2);
  }

  @Test
  void inventedRoundsDropACountOnlyByManyTimesItsReports() {
    reports("m", 0, 100);
    invent(100 * MOST / 2);
    assertThat(counts.add("m", 0, 0)).isEqualTo(100);
    invent(2 * 100 * MOST);
    assertThat(counts.add("m", 0, 0)).as("not named meanwhile").isZero();
  }

  @Test
  void aRoundThatIsNamedNowAndThenKeepsItsCount() {
    for (int report = 0; report < 1_000; report++) {
      assertThat(counts.add("m", 0, 0)).isEqualTo(report);
      invent(MOST / 4);
    }
    invent(100 * MOST);
    assertThat(counts.add("m", 0, 0)).isEqualTo(1_000);
  }

  @Test
  void inventedRoundsWithSeveralReportsEachAreNoStronger() {
    reports("m", 0, 100);
    for (int i = 0; i < 100 * MOST / 2 / 10; i++) {
      reports("m", 1 + i, 10);
    }
    assertThat(counts.add("m", 0, 0)).isEqualTo(100);
  }

  /** Counts of publications that were large once must not displace those of new ones. */
  @Test
  void roundsOfOldPublicationsMakeRoom() {
    for (int round = 0; round < 10 * MOST; round++) {
      reports("m", round, 10_000);
    }
    for (int round = 0; round < MOST / 4; round++) {
      assertThat(reports("n", round, 5)).isEqualTo(5);
    }
    for (int round = 0; round < MOST / 4; round++) {
      assertThat(counts.add("n", round, 0)).isEqualTo(5);
    }
  }

  @Test
  void boundsOfARoundAreCountedApart() {
    assertThat(counts.add("m", 7, 0.5)).isZero();
    assertThat(counts.add("m", 7, 0.75)).isZero();
    assertThat(counts.add("m", 7, 0.5)).isEqualTo(1);
  }
}
