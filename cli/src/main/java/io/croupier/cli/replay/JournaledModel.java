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
 * A model that replays the bundles of its journal and checks for each that the outcome is that of
 * the job.
 */
final class JournaledModel {
  private final String modelId;
  private final Recording recording;
  private final Accounts accounts;
  private final Supplier<String> journalPlace;
  private final LongFunction<ReplayedModel> start;
  private ReplayedModel model;

  /**
   * Prepares the replay of a model.
   *
   * @param recording the reports
   * @param journalPlace the current place in the journal, for messages
   * @param start makes a model, given the number of its first round
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
   * Replays the next bundle.
   *
   * @throws InputException if the replay does not agree with the journal
   */
  void apply(JournalEntry.Bundle bundle) {
    boolean isBundle = bundle.getPositionsCount() > 0;
    if (bundle.hasClosedRound() || (isBundle && !bundle.hasOutcome())) {
      throw mismatch(
          bundle,
          "the journal is of release 0.2.0 or earlier, where a round could close between two"
              + " publications: replay it with that release");
    }
    if (!isBundle && bundle.hasNamedRound()) {
      begin(bundle);
    } else {
      beginAtRoundZero();
    }
    if (isBundle) {
      add(bundle);
    }
    if (bundle.getPublished()) {
      publish(bundle);
    }
  }

  private void publish(JournalEntry.Bundle bundle) {
    boolean isFirst = model.isUnpublished();
    model.waitsFor(bundle.getWaitsFor());
    boolean opened = model.publish(!bundle.getRoundHeld());
    if (!isFirst && opened == bundle.getRoundHeld()) {
      throw mismatch(
          bundle,
          "in the journal a new round was published, but in the replay there are no reports: the"
              + " models, the reports or the first journal entries are not those of the recording");
    }
  }

  /** Ends the replay and writes the last update if it is not written yet. */
  ReplayedModel end() {
    beginAtRoundZero();
    model.writeLast();
    return model;
  }

  /**
   * Starts a model; one whose name was used before starts above round 0, again after each
   * retirement.
   */
  private void begin(JournalEntry.Bundle beginning) {
    ReplayedModel before = model;
    if (before != null) {
      before.writeLast();
    }
    if (!beginning.getContinued()) {
      model = start.apply(beginning.getNamedRound());
      return;
    }
    if (before == null || before.isUnpublished()) {
      throw mismatch(
          beginning, "the model continues from an update that the journal doesn't contain");
    }
    model = start.apply(0);
    model.continueFrom(before);
    if (model.round() != beginning.getNamedRound()) {
      throw mismatch(
          beginning, "the model continues, but in the replay its next round is " + model.round());
    }
  }

  /** Starts the model at round 0, whose publication the journal omits. */
  private void beginAtRoundZero() {
    if (model == null) {
      model = start.apply(0);
      model.publish(true);
    }
  }

  private void add(JournalEntry.Bundle bundle) {
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
      case DROPPED_BOUND -> model.drop(BundleOutcome.DROPPED_BOUND, bundle.getPositionsCount());
      case TAKEN, OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
          requireTaken(bundle, model.add(sum.seal(), last.report().header().createdAtMs()));
    }
  }

  private void requireTaken(JournalEntry.Bundle bundle, BundleOutcome outcome) {
    String why =
        switch (outcome) {
          case OPEN, TALLIED -> "";
          case DROPPED_STALE, DROPPED_UNPUBLISHED ->
              "takes no such report, is too old or was never published";
          case DROPPED_BOUND -> "has another gradient bound";
        };
    if (!why.isEmpty()) {
      throw mismatch(
          bundle,
          "the journal contains it as used, but in the replay round %d %s"
              .formatted(bundle.getNamedRound(), why));
    }
  }

  private JudgedReport report(JournalEntry.Bundle bundle, Position position) {
    RecordPosition recordPosition = RecordPosition.of(position);
    JudgedReport judged = recording.take(recordPosition);
    if (judged == null) {
      throw mismatch(
          bundle,
          "the report at %s is missing, or occurs earlier and is refused"
              .formatted(recordPosition));
    }
    if (!judged.report().header().modelId().equals(modelId)) {
      throw mismatch(bundle, "the report at %s belongs to another model".formatted(recordPosition));
    }
    if (!judged.mayBeAdmitted()) {
      throw mismatch(
          bundle,
          "the report at %s has the verdict %s: the models file is not the one of the recording"
              .formatted(recordPosition, judged.outcome()));
    }
    if (judged.report().header().round() != bundle.getNamedRound()) {
      throw mismatch(
          bundle,
          "the report at %s names round %d, but its bundle names round %d"
              .formatted(recordPosition, judged.report().header().round(), bundle.getNamedRound()));
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
            .formatted(
                journalPlace.get(), modelId, model == null ? 0 : model.round(), reports, what));
  }
}
