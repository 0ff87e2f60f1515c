package io.croupier.cli.replay;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.function.Consumer;

/**
 * A model in training that writes its updates: the initial one, every N-th after it, and the last.
 *
 * <p>The timestamp of an update is the creation time that the last report of its last round
 * declares, and 0 before the first report, so the same input gives the same bytes.
 */
final class ReplayedModel {
  private final LiveModel model;
  private final long every;
  private final Consumer<ModelUpdateView> updates;

  /** The last update; null before the first. */
  private ModelUpdateView last;

  private boolean isWritten = true;

  private long sinceWritten;
  private long newestReportMs;
  private long roundClosedMs;
  private long used;
  private long answers;
  private long droppedStale;
  private long droppedUnpublished;
  private long droppedBound;

  /**
   * Makes a model before its first round.
   *
   * @param every N, at least 1
   * @param updates receives the written updates
   */
  ReplayedModel(ModelSpec spec, long firstRound, long every, Consumer<ModelUpdateView> updates) {
    model = LiveModel.begin(spec, firstRound);
    this.every = every;
    this.updates = updates;
    sinceWritten = every - 1; // the first update is written
  }

  ModelSpec spec() {
    return model.spec();
  }

  /** Continues from the last update of the model before, whose state was lost. */
  void continueFrom(ReplayedModel before) {
    try {
      model.continueFrom(ModelUpdate.parseFrom(before.last.toByteString()));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("A view of an update is an update", e);
    }
  }

  /** Number of the open round. */
  long round() {
    return model.round();
  }

  /** Reports that wait in the open round. */
  long open() {
    return model.open();
  }

  /** Reports that entered a closed round; of a model without a learner, votes. */
  long used() {
    return used;
  }

  /** Answers that entered the estimates. */
  long answers() {
    return answers;
  }

  /** Reports that named a round that was too old. */
  long droppedStale() {
    return droppedStale;
  }

  /** Reports that named a round that was never published. */
  long droppedUnpublished() {
    return droppedUnpublished;
  }

  /** Reports of another gradient bound than that of the round that they named. */
  long droppedBound() {
    return droppedBound;
  }

  /**
   * Adds one bundle.
   *
   * @param createdAtMs creation time of the last report of the bundle
   */
  BundleOutcome add(RoundSum sum, long createdAtMs) {
    return took(model.add(sum), sum, createdAtMs);
  }

  private BundleOutcome took(BundleOutcome outcome, RoundSum sum, long createdAtMs) {
    switch (outcome) {
      case DROPPED_STALE, DROPPED_UNPUBLISHED, DROPPED_BOUND -> countDropped(outcome, sum.count);
      case OPEN -> newestReportMs = createdAtMs;
      case TALLIED -> {
        newestReportMs = createdAtMs;
        answers += sum.count;
      }
    }
    return outcome;
  }

  /** Drops reports, regardless of the rounds that they name. */
  void drop(BundleOutcome outcome, int reports) {
    model.drop(outcome, reports);
    countDropped(outcome, reports);
  }

  private void countDropped(BundleOutcome outcome, int reports) {
    switch (outcome) {
      case DROPPED_STALE -> droppedStale += reports;
      case DROPPED_UNPUBLISHED -> droppedUnpublished += reports;
      case DROPPED_BOUND -> droppedBound += reports;
      case OPEN, TALLIED -> throw new IllegalArgumentException(outcome + " is not a drop");
    }
  }

  /** Sets why the next updates open no new round. */
  void waitsFor(Wait wait) {
    model.waitsFor(wait);
  }

  /** Returns whether nothing was published yet. */
  boolean isUnpublished() {
    return model.publishedRound() < 0;
  }

  /** Returns whether the open round may be published: it is full, and its weights were tried. */
  boolean mayOpen() {
    return model.hasNewRound() && model.isFull() && model.isAnswered();
  }

  /**
   * Publishes the model's state, and writes the update if it is an N-th one.
   *
   * @param mayOpenRound whether the publication may open a new round
   * @return whether it opened one
   */
  boolean publish(boolean mayOpenRound) {
    boolean opens = mayOpenRound && model.hasNewRound();
    if (opens && model.open() > 0) {
      roundClosedMs = newestReportMs;
      used += model.open();
    }
    model.publish(mayOpenRound, roundClosedMs).ifPresent(this::published);
    return opens;
  }

  /** Marks the last publication as committed, which increases the staleness of older ones. */
  void confirm() {
    model.confirm();
  }

  private void published(ModelUpdateView update) {
    last = update;
    isWritten = false;
    if (++sinceWritten == every) {
      write();
    }
  }

  /** Writes the last update if it is not written yet. */
  void writeLast() {
    if (!isWritten) {
      write();
    }
  }

  /** Writes the model's state if it is not written yet, even if only counts have changed. */
  void writeNews() {
    if (model.hasNews()) {
      model
          .publish(false, roundClosedMs)
          .ifPresent(
              update -> {
                last = update;
                isWritten = false;
              });
    }
    writeLast();
  }

  private void write() {
    updates.accept(last);
    isWritten = true;
    sinceWritten = 0;
  }
}
