package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.operators.learner.Bundle;
import io.croupier.operators.learner.LiveModel.Fate;
import io.croupier.operators.learner.RoundSum;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A model that takes the bundles of its journal, one by one, and checks at each that the replay
 * does what the job did.
 *
 * <p>The journal's first closed round is the model's first round. Bundles that come before it wait.
 */
final class JournaledModel {
  private final String modelId;
  private final Recording recording;
  private final Accounts accounts;
  private final Supplier<String> journalPlace;
  private final LongFunction<ReplayedModel> start;
  private final List<JournalEntry.Bundle> waiting = new ArrayList<>();
  private ReplayedModel model;

  /**
   * A model whose journal begins with its first report.
   *
   * @param recording where the reports of the bundles are
   * @param journalPlace where the journal is being read, for errors
   * @param start the model, given the number of its first round
   */
  JournaledModel(
      String modelId,
      Recording recording,
      Accounts accounts,
      Supplier<String> journalPlace,
      LongFunction<ReplayedModel> start) {
    this.modelId = modelId;
    this.recording = recording;
    this.accounts = accounts;
    this.journalPlace = journalPlace;
    this.start = start;
  }

  /**
   * Takes the next bundle.
   *
   * @throws InputException if the replay does not agree with the journal
   */
  void apply(JournalEntry.Bundle bundle) {
    if (model != null) {
      replay(bundle);
      return;
    }
    waiting.add(bundle);
    if (bundle.hasClosedRound()) {
      begin(bundle.getClosedRound());
    }
  }

  /** Ends the journal, and tells the last update if it is not told yet. */
  ReplayedModel end() {
    if (model == null) {
      begin(waiting.isEmpty() ? 0 : waiting.get(0).getNamedRound());
    }
    model.tellLast();
    return model;
  }

  private void begin(long firstRound) {
    model = start.apply(firstRound);
    waiting.forEach(this::replay);
    waiting.clear();
  }

  private void replay(JournalEntry.Bundle bundle) {
    long round = model.round();
    boolean closed = bundle.getPositionsCount() == 0 ? close(bundle) : add(bundle);
    if (closed != bundle.hasClosedRound() || (closed && round != bundle.getClosedRound())) {
      throw mismatch(
          bundle,
          "the journal says that %s, and here %s"
              .formatted(
                  closed(bundle.hasClosedRound(), bundle.getClosedRound()), closed(closed, round)));
    }
    if (bundle.getPublished()) {
      model.publish();
    }
  }

  private static String closed(boolean closed, long round) {
    return closed ? "it closed round " + round : "it closed no round";
  }

  /** Without reports, a bundle tells that the round timed out, or only that it was published. */
  private boolean close(JournalEntry.Bundle bundle) {
    boolean closes = bundle.hasClosedRound() && model.open() > 0;
    if (closes) {
      model.closeRound();
    }
    return closes;
  }

  private boolean add(JournalEntry.Bundle bundle) {
    Judged last = report(bundle, bundle.getPositions(0));
    Bundle sum = new Bundle(accounts.withoutUser(last.report()));
    for (int i = 1; i < bundle.getPositionsCount(); i++) {
      last = report(bundle, bundle.getPositions(i));
      RoundSum next = accounts.withoutUser(last.report());
      try {
        sum.add(next);
      } catch (IllegalArgumentException e) {
        throw mismatch(bundle, e.getMessage());
      }
    }
    return model.add(sum.seal(), last.report().createdAtMs) == Fate.STEPPED;
  }

  private Judged report(JournalEntry.Bundle bundle, Position position) {
    Place place = Place.of(position);
    Judged judged = recording.take(place);
    if (judged == null) {
      throw mismatch(bundle, "the reports hold none at " + place);
    }
    if (!judged.report().modelId.equals(modelId)) {
      throw mismatch(bundle, "the report at %s is to another model".formatted(place));
    }
    if (!judged.isAdmitted()) {
      throw mismatch(
          bundle,
          "the report at %s is %s here: the models file is not the one of the recording"
              .formatted(place, judged.outcome()));
    }
    if (judged.report().round != bundle.getNamedRound()) {
      throw mismatch(
          bundle,
          "the report at %s names round %d, and its bundle names %d"
              .formatted(place, judged.report().round, bundle.getNamedRound()));
    }
    return judged;
  }

  private InputException mismatch(JournalEntry.Bundle bundle, String what) {
    String reports =
        bundle.getPositionsCount() == 0
            ? "a bundle of no reports"
            : "the bundle that begins at " + Place.of(bundle.getPositions(0));
    return new InputException(
        "%s: model '%s', round %d, %s: %s"
            .formatted(journalPlace.get(), modelId, model.round(), reports, what));
  }
}
