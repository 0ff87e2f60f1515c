package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.StateChunks;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedRoundsTest {

  @Test
  void distinguishesPublishedStaleAndUnpublishedRounds() {
    PublishedRounds rounds = new PublishedRounds(2, 1, false);
    assertThat(rounds.isEmpty()).isTrue();
    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.UNPUBLISHED);
    for (long round : new long[] {0, 5, 9, 12}) {
      rounds.add(round);
    }
    rounds.confirm();

    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.indexOf(4)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.staleness(rounds.indexOf(5))).isEqualTo(2);
    assertThat(rounds.staleness(rounds.indexOf(12))).isZero();
    assertThat(rounds.indexOf(6)).isEqualTo(PublishedRounds.UNPUBLISHED);
    assertThat(rounds.indexOf(13)).isEqualTo(PublishedRounds.UNPUBLISHED);
    assertThat(rounds.newest().round).isEqualTo(12);
  }

  @Test
  void anUnconfirmedPublicationMakesNoReportStaler() {
    PublishedRounds rounds = new PublishedRounds(1, 1, false);
    rounds.add(0);
    rounds.add(1);
    rounds.add(2);
    assertThat(rounds.isConfirmed()).isFalse();
    assertThat(rounds.staleness(rounds.indexOf(0))).isEqualTo(1);
    assertThat(rounds.staleness(rounds.indexOf(1))).isZero();
    assertThat(rounds.staleness(rounds.indexOf(2))).as("committed a moment ago").isZero();

    rounds.confirm();
    assertThat(rounds.isConfirmed()).isTrue();
    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.staleness(rounds.indexOf(1))).isEqualTo(1);
  }

  @Test
  void withoutStalenessOnlyTheNewestVisiblePublicationIsKept() {
    PublishedRounds rounds = new PublishedRounds(0, 1, true);
    rounds.add(0).direction[0] = 1;
    rounds.add(3).direction[0] = 2;
    assertThat(rounds.at(rounds.indexOf(0)).direction).containsExactly(1);
    rounds.confirm();

    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.at(rounds.indexOf(3)).direction).containsExactly(2);
  }

  @Test
  void resizingKeepsTheNewest() {
    PublishedRounds rounds = new PublishedRounds(3, 1, true);
    for (int round = 0; round < 4; round++) {
      rounds.add(round).direction[0] = round;
    }
    rounds.confirm();

    rounds.resize(1);
    assertThat(rounds.indexOf(1)).isEqualTo(PublishedRounds.STALE);
    rounds.resize(2);
    rounds.add(7).direction[0] = 7;
    assertThat(rounds.at(rounds.indexOf(2)).direction).containsExactly(2);
    assertThat(rounds.at(rounds.indexOf(7)).direction).containsExactly(7);

    rounds.resize(0);
    assertThat(rounds.indexOf(2)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.indexOf(3)).as("the newest visible one").isNotNegative();
    assertThat(rounds.indexOf(7)).isNotNegative();
  }

  @Test
  void isSavedInPartsAndRestoredCompletely() {
    PublishedRounds rounds = new PublishedRounds(1, 2, true);
    Map<String, byte[]> store = new HashMap<>();
    rounds.add(0).direction[0] = 0.5;
    rounds.save(StateChunks.writer(store::put));
    Publication newest = rounds.add(4);
    newest.direction[1] = 1.5;
    newest.pull = 2;
    newest.filling = 3;
    rounds.closeFilling(3);
    newest.filling = 5;
    Map<String, byte[]> second = new HashMap<>();
    rounds.save(StateChunks.writer(second::put));
    assertThat(second).doesNotContainKey("direction-of-0/0").containsKey("direction-of-4/0");
    store.putAll(second);

    PublishedRounds restored = new PublishedRounds(1, 2, true);
    restored.restore(StateChunks.reader(store::get));

    assertThat(restored.isConfirmed()).as("a restore commits what is in the state").isTrue();
    assertThat(restored.at(restored.indexOf(0)).direction).containsExactly(0.5, 0);
    assertThat(restored.at(restored.indexOf(4))).usingRecursiveComparison().isEqualTo(newest);
    restored.add(6);
    restored.confirm();
    assertThat(restored.isForgotten("direction-of-0/0")).isTrue();
    assertThat(restored.isForgotten("direction-of-4/0")).isFalse();
    assertThat(restored.isForgotten("used")).isFalse();
  }
}
