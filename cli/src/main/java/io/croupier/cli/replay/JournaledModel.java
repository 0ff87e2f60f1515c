package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.Position;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A model that takes the bundles of its journal, one by one, and checks at each that the replay
 * does what the job did.
 */
final class JournaledModel {
  private final String modelId;
  private final Recording recording;
  private final Accounts accounts;
  private final Supplier<String> journalPlace;
  private final LongFunction<ReplayedModel> start;
  private ReplayedModel model;

  /** Whether no bundle so far says what became of it: the journal is of release 0.1.0. */
  private boolean isOld = true;

  /** The round that is open before the bundle that is being taken. */
  private long round;

  /**
   * A model before its beginning.
   *
   * @param recording where the reports of the bundles are
   * @param journalPlace where the journal is being read, for errors
   * @param start a model that begins, given the number of its first round
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
    isOld &= !bundle.hasOutcome();
    boolean isBundle = bundle.getPositionsCount() > 0 || bundle.hasClosedRound();
    if (!isBundle && bundle.hasNamedRound()) {
      begin(bundle.getNamedRound());
    } else {
      beginAsMostDo();
    }
    if (isBundle) {
      replay(bundle);
    }
    if (bundle.getPublished()) {
      model.publish(!bundle.getRoundHeld());
      if (isOld) {
        model.confirm(); // in release 0.1.0 staleness counted a publication at once
      }
    }
  }

  /** Ends the journal, and writes the last update if it is not written yet. */
  ReplayedModel end() {
    beginAsMostDo();
    model.writeLast();
    return model;
  }

  /** A model of a name that was used before begins above zero, and once more if it was retired. */
  private void begin(long firstRound) {
    if (model != null) {
      model.writeLast();
    }
    model = start.apply(firstRound);
  }

  /** With round 0, published before anything comes: the journal leaves that out. */
  private void beginAsMostDo() {
    if (model == null) {
      begin(0);
      model.publish(true);
    }
  }

  private void replay(JournalEntry.Bundle bundle) {
    round = model.round();
    boolean closed = bundle.getPositionsCount() == 0 ? timeOut() : add(bundle);
    if (closed != bundle.hasClosedRound() || (closed && round != bundle.getClosedRound())) {
      throw mismatch(
          bundle,
          ("the journal says that %s, and here %s: models, reports or the journal's beginning are"
                  + " not those of the recording")
              .formatted(
                  closed(bundle.hasClosedRound(), bundle.getClosedRound()), closed(closed, round)));
    }
  }

  private static String closed(boolean closed, long round) {
    return closed ? "it closed round " + round : "it closed no round";
  }

  private boolean timeOut() {
    boolean closes = model.filling() > 0;
    model.closeRound();
    return closes;
  }

  private boolean add(JournalEntry.Bundle bundle) {
    JudgedReport last = report(bundle, bundle.getPositions(0));
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
    switch (bundle.getOutcome()) {
      case DROPPED_STALE -> model.drop(BundleOutcome.DROPPED_STALE, bundle.getPositionsCount());
      case DROPPED_UNPUBLISHED ->
          model.drop(BundleOutcome.DROPPED_UNPUBLISHED, bundle.getPositionsCount());
      case TAKEN, OUTCOME_UNSPECIFIED, UNRECOGNIZED -> {
        return take(bundle, sum.seal(), last.report().createdAtMs);
      }
    }
    return false;
  }

  private boolean take(JournalEntry.Bundle bundle, RoundSum sum, long createdAtMs) {
    BundleOutcome bundleOutcome =
        isOld ? model.addAsBefore(sum, createdAtMs) : model.add(sum, createdAtMs);
    boolean taken = bundleOutcome == BundleOutcome.OPEN || bundleOutcome == BundleOutcome.STEPPED;
    if (!taken && bundle.getOutcome() == JournalEntry.Bundle.Outcome.TAKEN) {
      throw mismatch(
          bundle,
          "the journal says that it was taken, and here round %d is too old or was never published"
              .formatted(bundle.getNamedRound()));
    }
    return bundleOutcome == BundleOutcome.STEPPED;
  }

  private JudgedReport report(JournalEntry.Bundle bundle, Position position) {
    RecordPosition recordPosition = RecordPosition.of(position);
    JudgedReport judged = recording.take(recordPosition);
    if (judged == null) {
      throw mismatch(
          bundle,
          "the report at %s is missing, or it came earlier and is refused here"
              .formatted(recordPosition));
    }
    if (!judged.report().modelId.equals(modelId)) {
      throw mismatch(bundle, "the report at %s is to another model".formatted(recordPosition));
    }
    if (!judged.isAdmitted()) {
      throw mismatch(
          bundle,
          "the report at %s is %s here: the models file is not the one of the recording"
              .formatted(recordPosition, judged.outcome()));
    }
    if (judged.report().round != bundle.getNamedRound()) {
      throw mismatch(
          bundle,
          "the report at %s names round %d, and its bundle names %d"
              .formatted(recordPosition, judged.report().round, bundle.getNamedRound()));
    }
    return judged;
  }

  private InputException mismatch(JournalEntry.Bundle bundle, String what) {
    String reports =
        bundle.getPositionsCount() == 0
            ? "a bundle of no reports"
            : "the bundle that begins at " + RecordPosition.of(bundle.getPositions(0));
    return new InputException(
        "%s: model '%s', round %d, %s: %s"
            .formatted(journalPlace.get(), modelId, round, reports, what));
  }
}
