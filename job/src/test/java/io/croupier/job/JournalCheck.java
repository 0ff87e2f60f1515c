package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import java.util.List;

/** Compares one model's journal with two independent topics. */
final class JournalCheck {
  private JournalCheck() {}

  /**
   * Waits until the model has nothing left to publish. Then fails unless the journal is complete:
   * every admitted report is in it exactly once, and the publications marked in it are exactly the
   * updates after the initial one.
   */
  static void check(TestTopics testTopics, String modelId, int admitted) throws Exception {
    check(testTopics, modelId, admitted, 1);
  }

  /**
   * The same for a model of an earlier release, whose rounds could close between two publications.
   *
   * @param earlier how many updates that release published
   */
  static void check(TestTopics testTopics, String modelId, int admitted, int earlier)
      throws Exception {
    testTopics.awaitUpdate(modelId, u -> taken(u) == admitted && isQuiet(u));
    List<ModelUpdate> updates = testTopics.updates(modelId);
    List<Bundle> bundles = testTopics.awaitJournal(modelId, admitted, updates.size() - 1);

    assertThat(bundles)
        .flatExtracting(Bundle::getPositionsList)
        .containsExactlyInAnyOrderElementsOf(
            testTopics.awaitEvents(modelId, admitted).stream()
                .filter(event -> event.getOutcome() == Outcome.ADMITTED)
                .map(AccountingEvent::getSource)
                .toList());
    if (earlier == 1) {
      assertThat(bundles).noneMatch(Bundle::hasClosedRound);
    }
    checkRounds(bundles, updates, earlier);
  }

  /** Whether only further reports can lead to another update. */
  static boolean isQuiet(ModelUpdate update) {
    return update.getOpen() == 0 || update.getWaitsFor() == Wait.REPORTS;
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

  /** Only a publication that opens a new round raises the round, and uses reports. */
  private static void checkRounds(List<Bundle> bundles, List<ModelUpdate> updates, int earlier) {
    List<Bundle> published = bundles.stream().filter(Bundle::getPublished).toList();
    assertThat(updates).as("updates").hasSize(published.size() + 1);
    for (int i = earlier - 1; i < published.size(); i++) {
      ModelUpdate before = updates.get(i);
      ModelUpdate after = updates.get(i + 1);
      assertThat(after.getWaitsFor()).isEqualTo(published.get(i).getWaitsFor());
      if (published.get(i).getRoundHeld()) {
        assertThat(after.getRound()).isEqualTo(before.getRound());
        assertThat(after.getUsed()).isEqualTo(before.getUsed());
      } else {
        assertThat(after.getRound()).isGreaterThan(before.getRound());
        assertThat(after.getOpen()).isZero();
      }
    }
  }
}
