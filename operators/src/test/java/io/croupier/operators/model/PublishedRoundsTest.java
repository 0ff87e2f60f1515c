package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.StateChunks;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedRoundsTest {

  @Test
  void tellsPublishedFromStaleAndUnpublished() {
    PublishedRounds rounds = new PublishedRounds(2, 1, false);
    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.UNPUBLISHED);
    for (long round : new long[] {0, 5, 9, 12}) {
      rounds.add(round);
    }

    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.indexOf(4)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.staleness(rounds.indexOf(5))).isEqualTo(2);
    assertThat(rounds.staleness(rounds.indexOf(12))).isZero();
    assertThat(rounds.indexOf(6)).isEqualTo(PublishedRounds.UNPUBLISHED);
    assertThat(rounds.indexOf(13)).isEqualTo(PublishedRounds.UNPUBLISHED);
    assertThat(rounds.isNewest(12)).isTrue();
  }

  @Test
  void noStalenessLeavesOnlyTheNewest() {
    PublishedRounds rounds = new PublishedRounds(0, 1, true);
    rounds.add(0)[0] = 1;
    rounds.add(3)[0] = 2;

    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.direction(rounds.indexOf(3))).containsExactly(2);
  }

  @Test
  void resizingKeepsTheNewest() {
    PublishedRounds rounds = new PublishedRounds(3, 1, true);
    for (int round = 0; round < 4; round++) {
      rounds.add(round)[0] = round;
    }

    rounds.resize(1);
    assertThat(rounds.indexOf(1)).isEqualTo(PublishedRounds.STALE);
    rounds.resize(2);
    rounds.add(7)[0] = 7;

    assertThat(rounds.direction(rounds.indexOf(2))).containsExactly(2);
    assertThat(rounds.direction(rounds.indexOf(7))).containsExactly(7);
  }

  @Test
  void isSavedPieceByPieceAndRestoredWhole() {
    PublishedRounds rounds = new PublishedRounds(1, 2, true);
    Map<String, byte[]> store = new HashMap<>();
    rounds.add(0)[0] = 0.5;
    rounds.save(StateChunks.writer(store::put));
    rounds.add(4)[1] = 1.5;
    Map<String, byte[]> second = new HashMap<>();
    rounds.save(StateChunks.writer(second::put));
    assertThat(second).doesNotContainKey("direction-of-0/0").containsKey("direction-of-4/0");
    store.putAll(second);

    PublishedRounds restored = new PublishedRounds(1, 2, true);
    restored.restore(StateChunks.reader(store::get));

    assertThat(restored.direction(restored.indexOf(0))).containsExactly(0.5, 0);
    assertThat(restored.direction(restored.indexOf(4))).containsExactly(0, 1.5);
    restored.add(6);
    assertThat(restored.isForgotten("direction-of-0/0")).isTrue();
    assertThat(restored.isForgotten("direction-of-4/0")).isFalse();
    assertThat(restored.isForgotten("used")).isFalse();
  }
}
