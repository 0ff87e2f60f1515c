package io.croupier.operators.learner;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A model in training: its learner's state, the open round, the published rounds that reports may
 * name, and the counts of what became of each report. Knows neither Flink nor Kafka nor the clock.
 *
 * <p>Invariants: (1) every admitted report is counted once, as used, dropped or open; (2) rounds
 * are numbered from {@code firstRound} without gaps and never go back; (3) a report is used only if
 * it names a published round.
 *
 * <p>Not thread-safe. A bundle costs O(d), a sparse one of a coordinate-wise learner O(non-zeros),
 * and allocates nothing once the working vectors are there.
 */
public final class LiveModel {
  private final Learner<LearnerState> learner;
  private final LearnerState state;
  private final Round round;
  private final Iterate iterate;
  private final OpenRound open;
  private final PublishedRounds published;
  private final int gridExponent;
  private final long firstRound;
  private ModelSpec spec;
  private int reportsPerRound;

  private long used;
  private long droppedStale;
  private long droppedUnpublished;

  /** Whether there is anything to tell that the last update didn't. */
  private boolean untold = true;

  private boolean unsaved = true;

  /** What became of a bundle. */
  public enum Fate {
    /** It waits in the open round. */
    OPEN,
    /** It closed the round, and the learner has taken a step. */
    STEPPED,
    /** It named a round older than max_staleness allows. */
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
   * @throws IllegalArgumentException if the spec names a learner that doesn't exist
   */
  public LiveModel(ModelSpec spec, long firstRound) {
    this.spec = spec;
    this.firstRound = firstRound;
    learner = anyState(Learners.of(spec));
    state = learner.initial();
    int d = learner.dimension();
    round = new Round(d);
    iterate = new Iterate(d);
    published = new PublishedRounds(ModelSpecs.maxStaleness(spec), d, learner.bets());
    gridExponent = ModelSpecs.gridExponent(spec);
    open = new OpenRound(d, gridExponent);
    reportsPerRound = ModelSpecs.reportsPerRound(spec);
  }

  /** A learner only ever meets the state that it made itself. */
  @SuppressWarnings("unchecked")
  private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
    return (Learner<LearnerState>) learner;
  }

  public ModelSpec spec() {
    return spec;
  }

  /** Number of the round that is open: the first one plus the steps taken. */
  public long round() {
    return firstRound + state.round();
  }

  /** Reports that wait in the open round. */
  public int open() {
    return open.count();
  }

  /** Whether {@link #publish} would tell anything new. */
  public boolean hasNews() {
    return untold;
  }

  /** Whether anything changed since {@link #save}. */
  public boolean isUnsaved() {
    return unsaved;
  }

  /** Takes over a spec that differs only where a running model's spec may change. */
  public void respec(ModelSpec next) {
    spec = next;
    reportsPerRound = ModelSpecs.reportsPerRound(next);
    published.resize(ModelSpecs.maxStaleness(next));
    untold = true;
    unsaved = true;
  }

  /**
   * Publications between the newest one and the one that a bundle names; negative if it is too old
   * or was never published.
   */
  public int staleness(RoundSum sum) {
    int index = published.indexOf(sum.namedRound);
    return index < 0 ? index : published.staleness(index);
  }

  /**
   * Takes in one bundle: drops it, adds it to the open round, or closes the round with it. Its
   * indices must stay as they are until the next one is added.
   *
   * @throws IllegalArgumentException if its dimension is not the model's
   */
  public Fate add(RoundSum sum) {
    if (sum.dimension != learner.dimension()) {
      throw new IllegalArgumentException(
          "A bundle of dimension %d for a model of dimension %d"
              .formatted(sum.dimension, learner.dimension()));
    }
    untold = true;
    unsaved = true;
    int index = published.indexOf(sum.namedRound);
    if (index == PublishedRounds.STALE) {
      droppedStale += sum.count;
      return Fate.DROPPED_STALE;
    }
    if (index == PublishedRounds.UNPUBLISHED) {
      droppedUnpublished += sum.count;
      return Fate.DROPPED_UNPUBLISHED;
    }
    double[] direction = published.direction(index);
    double pull = published.pull(index);
    if (open.count() == 0 && sum.count >= reportsPerRound) {
      stepOn(sum, direction, pull);
      return Fate.STEPPED;
    }
    open.add(sum, direction, pull);
    if (open.count() >= reportsPerRound) {
      closeRound();
      return Fate.STEPPED;
    }
    return Fate.OPEN;
  }

  /** Closes the open round with the reports it has. Does nothing if it has none. */
  public void closeRound() {
    int reports = open.count();
    if (reports > 0) {
      open.close(round);
      step(reports);
    }
  }

  private void stepOn(RoundSum sum, double[] direction, double pull) {
    double scale = 1.0 / sum.count;
    if (sum.form == VectorForm.SPARSE) {
      round.sparse(sum.indices, sum.indices.length);
    } else {
      round.dense();
    }
    round.squaredNorm =
        PackedVectors.decode(
            sum.form, sum.values, sum.indices, gridExponent, scale, round.subgradient);
    if (pull != 0) {
      Vectors.addScaled(pull, direction, round.subgradient);
      round.dense();
      round.squaredNorm = Vectors.squaredNorm(round.subgradient);
    }
    round.coin = direction == null ? 0 : Vectors.dot(round.subgradient, direction);
    round.directionalVariance = sum.directionalVariance * scale * scale;
    step(sum.count);
  }

  private void step(int reports) {
    learner.step(state, round);
    used += reports;
    unsaved = true;
    untold = true;
  }

  /**
   * The update that tells where the model stands. Remembers it as a publication if the model has
   * moved since the last one.
   *
   * @param nowMs the time to stamp it with, milliseconds since 1970
   */
  public ModelUpdateView publish(long nowMs) {
    iterate.diagnostics.clear();
    learner.publish(state, iterate);
    if (!published.isNewest(round())) {
      double[] direction = published.add(round());
      if (direction != null) {
        published.setPull(learner.direction(state, direction));
      }
    }
    untold = false;
    unsaved = true;
    return ModelUpdateView.newBuilder()
        .setModelId(spec.getModelId())
        .setRound(round())
        .addWeights(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.weights)))
        .addAverage(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.average)))
        .setUsed(used)
        .setDroppedStale(droppedStale)
        .setDroppedUnpublished(droppedUnpublished)
        .setOpen(open.count())
        .setGridExponent(gridExponent)
        .setGradientBound(spec.getGradientBound())
        .setAnswerProbability(ModelSpecs.answerProbability(spec))
        .putAllDiagnostics(iterate.diagnostics)
        .setPublishedAtMs(nowMs)
        .build();
  }

  /** Hands out what changed since the last call, as named chunks of bounded size. */
  public void save(BiConsumer<String, byte[]> chunks) {
    LearnerState.Visitor writer = StateChunks.writer(chunks);
    writer.count("used", used);
    writer.count("dropped-stale", droppedStale);
    writer.count("dropped-unpublished", droppedUnpublished);
    writer.count("untold", untold ? 1 : 0);
    open.save(writer);
    published.save(writer);
    state.visit(writer);
    unsaved = false;
  }

  /** Restores what {@link #save} handed out over time; {@code chunks} is null for unknown names. */
  public void restore(Function<String, byte[]> chunks) {
    LearnerState.Visitor reader = StateChunks.reader(chunks);
    used = reader.count("used", 0);
    droppedStale = reader.count("dropped-stale", 0);
    droppedUnpublished = reader.count("dropped-unpublished", 0);
    untold = reader.count("untold", 1) != 0;
    open.restore(reader);
    published.restore(reader);
    state.visit(reader);
    unsaved = false;
  }

  /** Whether a chunk that was saved once is of no use any more. */
  public boolean isObsolete(String chunk) {
    return published.isForgotten(chunk) || (open.count() == 0 && chunk.startsWith("open-"));
  }
}
