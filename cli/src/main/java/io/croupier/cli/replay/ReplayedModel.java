package io.croupier.cli.replay;

import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.Fate;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.function.Consumer;

/**
 * A model in training that tells its updates: the initial one, every N-th after it, and the last.
 *
 * <p>The time that an update is stamped with is when the last report of its last round was created,
 * by that report's own word, and 0 before there is one: the same input gives the same bytes.
 */
final class ReplayedModel {
  private final LiveModel model;
  private final long every;
  private final Consumer<ModelUpdateView> updates;

  /** The last update; null once it is told. */
  private ModelUpdateView untold;

  private long sinceTold;
  private long newestReportMs;
  private long roundClosedMs;
  private long added;
  private long droppedStale;
  private long droppedUnpublished;

  /**
   * A model before its first round.
   *
   * @param every N, at least 1
   * @param updates takes what is told
   */
  ReplayedModel(ModelSpec spec, long firstRound, long every, Consumer<ModelUpdateView> updates) {
    model = LiveModel.begin(spec, firstRound);
    this.every = every;
    this.updates = updates;
    sinceTold = every - 1; // the first update is told
  }

  ModelSpec spec() {
    return model.spec();
  }

  /** Number of the open round. */
  long round() {
    return model.round();
  }

  /** Reports that wait in the open round. */
  long open() {
    return model.open();
  }

  /** Reports that entered a closed round. */
  long used() {
    return added - droppedStale - droppedUnpublished - model.open();
  }

  /** Reports that named too old a round. */
  long droppedStale() {
    return droppedStale;
  }

  /** Reports that named a round that was never published. */
  long droppedUnpublished() {
    return droppedUnpublished;
  }

  /**
   * Takes in one bundle.
   *
   * @param createdAtMs when the last report of the bundle was created
   */
  Fate add(RoundSum sum, long createdAtMs) {
    Fate fate = model.add(sum);
    added += sum.count;
    switch (fate) {
      case DROPPED_STALE -> droppedStale += sum.count;
      case DROPPED_UNPUBLISHED -> droppedUnpublished += sum.count;
      case OPEN -> newestReportMs = createdAtMs;
      case STEPPED -> {
        newestReportMs = createdAtMs;
        roundClosedMs = createdAtMs;
      }
    }
    return fate;
  }

  /** Closes the open round with the reports that it has, if any. */
  void closeRound() {
    model.closeRound();
    roundClosedMs = newestReportMs;
  }

  /** Publishes the round that was reached, and tells it if it is the turn of this one. */
  void publish() {
    untold = model.publish(roundClosedMs);
    if (++sinceTold == every) {
      tell();
    }
  }

  /** Tells the last update if it is not told yet. */
  void tellLast() {
    if (untold != null) {
      tell();
    }
  }

  /** Tells where the model stands if it is not told yet, also if only the counts have changed. */
  void tellNews() {
    if (model.hasNews()) {
      untold = model.publish(roundClosedMs);
    }
    tellLast();
  }

  private void tell() {
    updates.accept(untold);
    untold = null;
    sinceTold = 0;
  }
}
