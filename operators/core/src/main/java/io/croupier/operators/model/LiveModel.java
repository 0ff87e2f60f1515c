package io.croupier.operators.model;

import io.croupier.operators.central.BltSearches;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.StatisticEstimate;
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
    /** It waits in the open round, which the next publication of a new round closes. */
    OPEN,
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

  /**
   * Returns whether a model of a spec can continue from an update: it has the dimension, and the
   * model had learned something.
   */
  static boolean continuesFrom(ModelUpdate last, ModelSpec spec) {
    return last.getUsed() > 0 && last.getAverageCount() == spec.getDimension();
  }

  /**
   * Continues from the last update of this model, whose state is lost, before anything else: with
   * the next round, at the update's average, with its counts and its clip.
   *
   * @param last an update that it {@link #continuesFrom}
   */
  void continueFrom(ModelUpdate last);

  /** Returns the spec in force. */
  ModelSpec spec();

  /**
   * Returns the number of the open round: the first one plus the steps taken, and plus the
   * publications that scouted for the clip or had no reports.
   */
  long round();

  /** Returns the last published round; -1 before the first one. */
  long publishedRound();

  /** Returns the number of reports in the open round. */
  long open();

  /** Returns whether an update would differ from the last one. */
  boolean hasNews();

  /** Returns whether an update must not wait: more than counts would differ from the last one. */
  boolean hasUrgentNews();

  /**
   * Returns whether {@link #publish} would open a new round if allowed to; with anonymous windows
   * even without reports, so that each window ends.
   */
  boolean hasNewRound();

  /** Returns whether the open round has at least as many reports as the spec requires. */
  boolean isFull();

  /** Returns whether the last publication is visible; true before the first one. */
  boolean isConfirmed();

  /**
   * Returns whether a report has named the last publication, so that its weights have been tried.
   * While the model scouts, answers count instead. True before the first publication.
   */
  boolean isAnswered();

  /** Records that the last publication is visible. */
  void confirm();

  /** Returns whether anything changed since {@link #save}. */
  boolean isUnsaved();

  /** Replaces the spec by one that differs only where a running model's spec may change. */
  void respec(ModelSpec next);

  /** Returns which part of its spec has no effect, in words; empty if each has one. */
  default Optional<String> obstacle() {
    return Optional.empty();
  }

  /**
   * Returns the number of visible publications that are newer than the one that a bundle names;
   * negative if that one is too old or was never published.
   */
  int staleness(RoundSum sum);

  /**
   * Returns whether reports that name a round are dropped as too old. Once it is, it stays so.
   * False for a central model, which is not asked.
   */
  default boolean isTooOld(long round) {
    return false;
  }

  /**
   * Takes one bundle: drops it, or adds it to the open round.
   *
   * @throws IllegalArgumentException if its dimension or form is not the model's
   */
  BundleOutcome add(RoundSum sum);

  /**
   * Counts reports as dropped as a journal records it, whatever round they name.
   *
   * @param outcome {@link BundleOutcome#DROPPED_STALE}, {@link BundleOutcome#DROPPED_UNPUBLISHED}
   *     or {@link BundleOutcome#DROPPED_BOUND}
   */
  void drop(BundleOutcome outcome, int reports);

  /**
   * Publishes an update of the model: a new publication, which closes the open round, if there is a
   * new round and it may be opened; otherwise the last round and its weights with the present
   * average and counts.
   *
   * @param mayOpenRound whether a new round may be published; the first one always is
   * @param nowMs the time stamp of the update, milliseconds since 1970
   * @return empty if there is no update without a new round
   */
  Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs);

  /**
   * Sets why the next updates open no new round; {@code WAIT_UNSPECIFIED} if nothing waits. Another
   * reason is news.
   */
  default void waitsFor(Wait wait) {}

  /** Returns the guarantee of the last publication; empty if the devices add the noise. */
  Optional<GuaranteeEvent> guarantee();

  /** Returns the newest estimate for each question; empty for a model that asks nothing. */
  default List<Estimate> estimates() {
    return List.of();
  }

  /** Returns the newest estimate for each statistic; empty for a model that has none. */
  default List<StatisticEstimate> statistics() {
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

  /** Returns whether a saved chunk is no longer needed, unless the last save passed it on. */
  boolean isObsolete(String chunk);

  /**
   * Returns whether the last save was the first one after a restore from a release with another
   * layout: sections that it didn't pass on are no longer needed.
   */
  default boolean replacesFormerState() {
    return false;
  }
}
