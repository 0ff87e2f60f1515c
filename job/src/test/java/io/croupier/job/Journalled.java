package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.List;

/** One model's journal, held against what two independent topics say. */
final class Journalled {
  private Journalled() {}

  /**
   * Fails unless the journal is whole: every admitted report is in it exactly once, rounds close
   * one after the other, and what is marked as published are the updates after the initial one.
   */
  static void check(Table table, String modelId, int admitted) throws Exception {
    List<Bundle> bundles = table.awaitJournal(modelId, admitted);
    table.awaitUpdate(
        modelId,
        u ->
            u.getUsed() + u.getDroppedStale() + u.getDroppedUnpublished() + u.getOpen()
                == admitted);
    // A round that times out closes without a report.
    List<Long> rounds = table.updates(modelId).stream().map(ModelUpdate::getRound).toList();
    List<Long> toldRounds = rounds.subList(1, rounds.size());

    assertThat(bundles)
        .flatExtracting(Bundle::getPositionsList)
        .containsExactlyInAnyOrderElementsOf(
            table.awaitEvents(modelId, admitted).stream()
                .filter(event -> event.getOutcome() == Outcome.ADMITTED)
                .map(AccountingEvent::getSource)
                .toList());
    long round = 0;
    List<Long> publishedRounds = new ArrayList<>();
    for (Bundle bundle : bundles) {
      if (bundle.hasClosedRound()) {
        assertThat(bundle.getClosedRound()).isEqualTo(round);
        round++;
      }
      if (bundle.getPublished()) {
        publishedRounds.add(round);
      }
    }
    assertThat(round).isEqualTo(rounds.get(rounds.size() - 1));
    assertThat(publishedRounds).isEqualTo(toldRounds);
  }
}
