package io.croupier.operators.model;

import io.croupier.operators.accounting.CentralMechanism;
import io.croupier.operators.central.BltSearches;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A model in training: its learner's state, the open round, and the counts of reports by outcome.
 * It depends neither on Flink nor on Kafka nor on the clock.
 *
 * <p>A publication is emitted before a checkpoint and becomes visible when that checkpoint is
 * complete; {@link #confirm} records this. The caller decides at each publication whether it may
 * open a new round, since reports that name the last one may still be in transit.
 *
 * <p>Invariants: (1) every admitted report is counted once, as used, answer, dropped or open; (2)
 * rounds are numbered from the first one without gaps and never go back; (3) a report is used only
 * if it names a published round.
 *
 * <p>Not thread-safe.
 */
public sealed interface LiveModel permits LocalModel, CentralModel {

  /** The outcome of a bundle. */
  enum BundleOutcome {
    /** It waits in the open round. */
    OPEN,
    /** It closed the round, and the learner has taken a step. */
    STEPPED,
    /** It is an answer, and entered the tally of its question, or moves the clip. */
    TALLIED,
    /**
     * It named a round that takes no reports of its kind or no more, or a question that was
     * removed, or there was no room for it.
     */
    DROPPED_STALE,
    /** It named a round that was never published. */
    DROPPED_UNPUBLISHED,
    /** Its gradient bound is not that of the round that it named. */
    DROPPED_BOUND
  }

  /**
   * Creates a model before its first round.
   *
   * @param spec a valid spec
   * @param firstRound number of the initial round: 0, or above all rounds that an earlier model of
   *     the same name has published
   * @throws IllegalArgumentException if the spec is not supported
   */
  static LiveModel begin(ModelSpec spec, long firstRound) {
    return begin(spec, firstRound, new BltSearches());
  }

  /**
   * The same, for one of several models.
   *
   * @param searches shared by all of them, and with no other thread
   */
  static LiveModel begin(ModelSpec spec, long firstRound, BltSearches searches) {
    return ModelSpecs.isCentral(spec)
        ? new CentralModel(spec, firstRound, CentralMechanism.of(spec, searches))
        : new LocalModel(spec, firstRound);
  }

  /** Returns the spec in force. */
  ModelSpec spec();

  /**
   * Returns the number of the open round: the first one plus the steps taken, and plus the
   * publications that scouted for the clip.
   */
  long round();

  /** Returns the last published round; -1 before the first one. */
  long publishedRound();

  /** Returns the number of reports that are not in a closed round yet. */
  int open();

  /** Returns how many of them are in the round that {@link #closeRound} closes. */
  int filling();

  /** Returns whether an update would differ from the last one. */
  boolean hasNews();

  /** Returns whether {@link #publish} would open a new round if allowed to. */
  boolean hasNewRound();

  /** Returns whether the last publication is visible; true before the first one. */
  boolean isConfirmed();

  /** Returns whether a new round must wait until a backlog of reports is taken. */
  boolean waitsForBacklog();

  /**
   * Returns whether reports have tried the weights of the last publication, so that the next one
   * may follow: at least one has named it or, if late reports mislead the learner, as many as have
   * since named publications older than its harmless delay. While the model scouts, answers count
   * instead. True before the first publication.
   */
  boolean isAnswered();

  /** Records that the last publication is visible. */
  void confirm();

  /** Returns whether anything changed since {@link #save}. */
  boolean isUnsaved();

  /** Replaces the spec by one that differs only where a running model's spec may change. */
  void respec(ModelSpec next);

  /**
   * Returns the number of visible publications that are newer than the one that a bundle names;
   * negative if that one is too old or was never published.
   */
  int staleness(RoundSum sum);

  /**
   * Takes one bundle: drops it, adds it to the open round, or closes the round with it. Its indices
   * must not change until the next bundle is added.
   *
   * @throws IllegalArgumentException if its dimension or form is not the model's
   */
  BundleOutcome add(RoundSum sum);

  /**
   * Takes one bundle, and never treats its gradients as late. For a caller that publishes every
   * round: there, a report may name a publication far back without being late.
   */
  BundleOutcome addAsTimely(RoundSum sum);

  /**
   * Takes one bundle as release 0.1.0 did, for the replay of its journals: a round closes at
   * reports_per_round reports, however many name one publication.
   */
  BundleOutcome addAsBefore(RoundSum sum);

  /**
   * Counts reports as dropped as a journal records it, whatever round they name.
   *
   * @param outcome {@link BundleOutcome#DROPPED_STALE}, {@link BundleOutcome#DROPPED_UNPUBLISHED}
   *     or {@link BundleOutcome#DROPPED_BOUND}
   */
  void drop(BundleOutcome outcome, int reports);

  /**
   * Closes the filling round with the reports that it has, on its timeout. Does nothing if it has
   * none.
   *
   * @throws IllegalStateException if the model is central: its rounds have no timeout
   */
  void closeRound();

  /**
   * Publishes an update of the model: a new publication if there is a new round and it may be
   * opened, otherwise the last round and its weights with the present average and counts.
   *
   * @param mayOpenRound whether a new round may be published; the first one always is
   * @param nowMs the time stamp of the update, milliseconds since 1970
   * @return empty if there is no update without a new round
   */
  Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs);

  /** Returns the guarantee of the last publication; empty if the devices add the noise. */
  Optional<GuaranteeEvent> guarantee();

  /** Returns the newest estimate for each question; empty for a model that asks nothing. */
  default List<Estimate> estimates() {
    return List.of();
  }

  /**
   * Returns the last publication again, byte for byte; empty if there was none, or if a new
   * publication could replace it.
   */
  Optional<ModelUpdateView> lastUpdate();

  /** Passes on what changed since the last call, as named chunks of bounded size. */
  void save(BiConsumer<String, byte[]> chunks);

  /**
   * Restores everything that {@link #save} passed on over time; {@code chunks} returns null for
   * unknown names.
   *
   * @throws IllegalStateException if chunks are missing or incomplete
   */
  void restore(Function<String, byte[]> chunks);

  /** Returns whether a saved chunk is no longer needed. */
  boolean isObsolete(String chunk);
}
