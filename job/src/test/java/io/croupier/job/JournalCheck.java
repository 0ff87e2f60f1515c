package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import java.util.List;

/** Compares one model's journal with two independent topics. */
final class JournalCheck {
  private JournalCheck() {}

  /**
   * Waits until the weights of all closed rounds are visible, since a new round may be delayed.
   * Then fails unless the journal is complete: every admitted report is in it exactly once, rounds
   * close in order, and the publications marked in it are exactly the updates after the initial
   * one.
   */
  static void check(TestTopics testTopics, String modelId, int admitted) throws Exception {
    long closed = closedRounds(testTopics, modelId, admitted);
    testTopics.awaitUpdate(modelId, u -> taken(u) == admitted && u.getRound() >= closed);
    List<Long> rounds = testTopics.updates(modelId).stream().map(ModelUpdate::getRound).toList();
    List<Bundle> bundles = testTopics.awaitJournal(modelId, admitted, rounds.size() - 1);

    assertThat(bundles)
        .flatExtracting(Bundle::getPositionsList)
        .containsExactlyInAnyOrderElementsOf(
            testTopics.awaitEvents(modelId, admitted).stream()
                .filter(event -> event.getOutcome() == Outcome.ADMITTED)
                .map(AccountingEvent::getSource)
                .toList());
    checkRounds(bundles, rounds);
  }

  /**
   * Returns how many rounds the model has closed, once all its reports are in its journal. Rounds
   * that closed with a publication count, too, if a bundle has closed one since.
   */
  static long closedRounds(TestTopics testTopics, String modelId, int admitted) throws Exception {
    return testTopics.awaitJournal(modelId, admitted).stream()
        .filter(Bundle::hasClosedRound)
        .mapToLong(bundle -> bundle.getClosedRound() + 1)
        .max()
        .orElse(0);
  }

  /** The number of admitted reports that an update counts. */
  private static long taken(ModelUpdate update) {
    return update.getUsed()
        + update.getAnswers()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound()
        + update.getOpen();
  }

  /** The last round closes with the publication, so no bundle records its end. */
  private static void checkRounds(List<Bundle> bundles, List<Long> rounds) {
    long round = 0;
    int updates = 1;
    for (Bundle bundle : bundles) {
      if (bundle.hasClosedRound()) {
        assertThat(bundle.getClosedRound()).isEqualTo(round);
        round++;
      }
      if (bundle.getPublished()) {
        long published = rounds.get(updates);
        if (bundle.getRoundHeld()) {
          assertThat(published).isEqualTo(rounds.get(updates - 1));
        } else {
          assertThat(published).isBetween(round, round + 1);
          round = published;
        }
        updates++;
      }
    }
    assertThat(rounds).as("updates").hasSize(updates);
    assertThat(rounds.get(updates - 1)).isLessThanOrEqualTo(round);
  }
}
