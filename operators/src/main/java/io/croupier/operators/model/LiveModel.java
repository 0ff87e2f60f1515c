package io.croupier.operators.model;

import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A model in training: its learner's state, the open round, and the counts of what became of each
 * report. Knows neither Flink nor Kafka nor the clock.
 *
 * <p>A publication is made before a checkpoint and becomes visible when that checkpoint is
 * complete; {@link #confirm} notes this. The caller decides at each publication whether it may open
 * a new round: reports of people who already answered the last one may still be under way.
 *
 * <p>Invariants: (1) every admitted report is counted once, as used, dropped or open; (2) rounds
 * are numbered from the first one without gaps and never go back; (3) a report is used only if it
 * names a published round.
 *
 * <p>Not thread-safe.
 */
public sealed interface LiveModel permits LocalModel, CentralModel {

  /** What became of a bundle. */
  enum BundleOutcome {
    /** It waits in the open round. */
    OPEN,
    /** It closed the round, and the learner has taken a step. */
    STEPPED,
    /** It named a round that takes no more reports. */
    DROPPED_STALE,
    /** It named a round that was never published. */
    DROPPED_UNPUBLISHED
  }

  /**
   * A model before its first round.
   *
   * @param spec a valid spec
   * @param firstRound number of the initial round: 0, or above all rounds that an earlier model of
   *     the same name has published
   * @throws IllegalArgumentException if the spec asks for what there isn't
   */
  static LiveModel begin(ModelSpec spec, long firstRound) {
    return ModelSpecs.isCentral(spec)
        ? new CentralModel(spec, firstRound)
        : new LocalModel(spec, firstRound);
  }

  /** The spec in force. */
  ModelSpec spec();

  /** Number of the round that is open: the first one plus the steps taken. */
  long round();

  /** The last published round; -1 before the first one. */
  long publishedRound();

  /** Reports that are not in a closed round yet. */
  int open();

  /** Those of them in the round that {@link #closeRound} closes. */
  int filling();

  /** Whether an update would differ from the last one. */
  boolean hasNews();

  /** Whether {@link #publish} would publish another round than the last one, if it may. */
  boolean hasNewRound();

  /** Whether people can see the last publication; true before the first one. */
  boolean isConfirmed();

  /** Whether a new round waits until reports that came before it are taken. */
  boolean waitsForBacklog();

  /**
   * Whether reports have tried the weights of the last publication, so that the next one may
   * follow: at least one has named it or, if late reports mislead the learner, as many as have
   * named older publications since. True before the first publication.
   */
  boolean isAnswered();

  /** Notes that people can see the last publication. */
  void confirm();

  /** Whether anything changed since {@link #save}. */
  boolean isUnsaved();

  /** Takes over a spec that differs only where a running model's spec may change. */
  void respec(ModelSpec next);

  /**
   * Visible publications that are newer than the one that a bundle names; negative if that one is
   * too old or was never published.
   */
  int staleness(RoundSum sum);

  /**
   * Takes in one bundle: drops it, adds it to the open round, or closes the round with it. Its
   * indices must stay as they are until the next one is added.
   *
   * @throws IllegalArgumentException if its dimension or form is not the model's
   */
  BundleOutcome add(RoundSum sum);

  /**
   * Takes in one bundle as release 0.1.0 did, for the replay of its journals: a round closes at
   * reports_per_round reports, however many name one publication.
   */
  BundleOutcome addAsBefore(RoundSum sum);

  /**
   * Counts reports as dropped without a look at the round that they name, as a journal has it.
   *
   * @param outcome {@link BundleOutcome#DROPPED_STALE} or {@link BundleOutcome#DROPPED_UNPUBLISHED}
   */
  void drop(BundleOutcome outcome, int reports);

  /**
   * Closes the filling round with the reports it has, because its time is up. Does nothing if it
   * has none.
   *
   * @throws IllegalStateException if the model is central: its rounds have no time
   */
  void closeRound();

  /**
   * An update of where the model stands: a new publication if there is a new round and it may be
   * opened, else the last round and its weights with the present average and counts.
   *
   * @param mayOpenRound whether a new round may be published. The first one always is
   * @param nowMs the time to stamp the update with, milliseconds since 1970
   * @return empty if nothing can be said without a new round
   */
  Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs);

  /** What the last publication guarantees to people; empty if they add the noise themselves. */
  Optional<GuaranteeEvent> guarantee();

  /**
   * The last publication once more, byte for byte; empty if there was none, or if nothing would be
   * lost with it that can't be told anew.
   */
  Optional<ModelUpdateView> lastUpdate();

  /** Hands out what changed since the last call, as named chunks of bounded size. */
  void save(BiConsumer<String, byte[]> chunks);

  /**
   * Restores what {@link #save} handed out over time; {@code chunks} is null for unknown names.
   *
   * @throws IllegalStateException if what was handed out is not whole
   */
  void restore(Function<String, byte[]> chunks);

  /** Whether a chunk that was saved once is of no use any more. */
  boolean isObsolete(String chunk);
}
