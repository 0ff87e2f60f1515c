package io.croupier.operators.model;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.Round;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A model of reports that people noised themselves. A round closes with the report that fills it;
 * reports may name any of the last publications.
 *
 * <p>A bundle costs O(d), a sparse one of a coordinate-wise learner O(non-zeros), and allocates
 * nothing once the working vectors are there.
 */
public final class LocalModel implements LiveModel {
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

  /**
   * A model before its first round.
   *
   * @param spec a valid spec
   * @param firstRound number of the initial round: 0, or above all rounds that an earlier model of
   *     the same name has published
   * @throws IllegalArgumentException if the spec names a learner that doesn't exist
   */
  public LocalModel(ModelSpec spec, long firstRound) {
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

  @Override
  public ModelSpec spec() {
    return spec;
  }

  @Override
  public long round() {
    return firstRound + state.round();
  }

  @Override
  public int open() {
    return open.count();
  }

  @Override
  public boolean hasNews() {
    return untold;
  }

  @Override
  public boolean isUnsaved() {
    return unsaved;
  }

  @Override
  public void respec(ModelSpec next) {
    spec = next;
    reportsPerRound = ModelSpecs.reportsPerRound(next);
    published.resize(ModelSpecs.maxStaleness(next));
    untold = true;
    unsaved = true;
  }

  @Override
  public int staleness(RoundSum sum) {
    int index = published.indexOf(sum.namedRound);
    return index < 0 ? index : published.staleness(index);
  }

  @Override
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

  @Override
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

  @Override
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

  @Override
  public Optional<GuaranteeEvent> guarantee() {
    return Optional.empty();
  }

  @Override
  public Optional<ModelUpdateView> lastUpdate() {
    return Optional.empty();
  }

  @Override
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

  @Override
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

  @Override
  public boolean isObsolete(String chunk) {
    return published.isForgotten(chunk) || (open.count() == 0 && chunk.startsWith("open-"));
  }
}
