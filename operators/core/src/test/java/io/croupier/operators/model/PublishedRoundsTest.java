package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.StateChunks;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PublishedRoundsTest {

  @Test
  void distinguishesPublishedStaleAndUnpublishedRounds() {
    PublishedRounds rounds = new PublishedRounds(2);
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
    PublishedRounds rounds = new PublishedRounds(1);
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
    PublishedRounds rounds = new PublishedRounds(0);
    rounds.add(0).gradientBound = 1;
    rounds.add(3).gradientBound = 2;
    assertThat(rounds.at(rounds.indexOf(0)).gradientBound).isEqualTo(1);
    rounds.confirm();

    assertThat(rounds.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.at(rounds.indexOf(3)).gradientBound).isEqualTo(2);
    assertThat(rounds.oldest()).isEqualTo(3);
  }

  @Test
  void resizingKeepsTheNewest() {
    PublishedRounds rounds = new PublishedRounds(3);
    for (int round = 0; round < 4; round++) {
      rounds.add(round).gradientBound = round;
    }
    rounds.confirm();

    rounds.resize(1);
    assertThat(rounds.indexOf(1)).isEqualTo(PublishedRounds.STALE);
    rounds.resize(2);
    rounds.add(7).gradientBound = 7;
    assertThat(rounds.at(rounds.indexOf(2)).gradientBound).isEqualTo(2);
    assertThat(rounds.at(rounds.indexOf(7)).gradientBound).isEqualTo(7);

    rounds.resize(0);
    assertThat(rounds.indexOf(2)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.indexOf(3)).as("the newest visible one").isNotNegative();
    assertThat(rounds.indexOf(7)).isNotNegative();
  }

  @Test
  void isSavedAndRestored() {
    PublishedRounds rounds = new PublishedRounds(1);
    Map<String, byte[]> store = new HashMap<>();
    rounds.add(0).answered = true;
    rounds.add(4).gradientBound = 2;
    rounds.add(6);
    rounds.save(StateChunks.writer(store::put));

    PublishedRounds restored = new PublishedRounds(1);
    restored.restore(StateChunks.reader(store::get));

    assertThat(restored.isConfirmed()).as("a restore commits what is in the state").isTrue();
    assertThat(restored.indexOf(0)).isEqualTo(PublishedRounds.STALE);
    assertThat(restored.at(restored.indexOf(4)).gradientBound).isEqualTo(2);
    assertThat(restored.newest().round).isEqualTo(6);
    assertThat(restored.newest().answered).isFalse();
    restored.resize(5);
    assertThat(restored.indexOf(4)).isNotNegative();
  }

  @Test
  void aClearedListMakesEverythingStale() {
    PublishedRounds rounds = new PublishedRounds(3);
    rounds.add(2);
    rounds.add(3);
    rounds.clear();
    assertThat(rounds.isEmpty()).isTrue();
    rounds.add(4);
    assertThat(rounds.indexOf(3)).isEqualTo(PublishedRounds.STALE);
    assertThat(rounds.oldest()).isEqualTo(4);
  }
}
