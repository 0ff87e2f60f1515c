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
 * A model of reports with noise from the devices. Reports may name any of the last publications,
 * and enter a round that closes with the report that fills it. Rounds grow with the number of
 * reports between two publications, see {@link Publication}; once the rounds since the newest
 * publication agree, see {@link Agreement}, all further reports enter one last round, which closes
 * immediately before the next publication.
 *
 * <p>A bundle costs O(d), a sparse one of a coordinate-wise learner O(non-zeros), and allocates
 * nothing once the working vectors exist.
 */
public final class LocalModel implements LiveModel {
  /**
   * The most reports of one round, so that its count and its sums of 32-bit numbers don't overflow.
   */
  private static final int MOST_REPORTS = 1 << 30;

  private final Learner<LearnerState> learner;
  private final LearnerState state;
  private final Round round;
  private final Iterate iterate;
  private final PublishedWeights weights;
  private final PublishedRounds published;
  private final OpenRound filling;

  /** The last round before the next publication. */
  private final OpenRound last;

  private final Agreement agreement;
  private final RoundClip clip;
  private final AskedQuestions questions;

  /** Reports since the newest publication that are too late for many steps on them. */
  private long late;

  /** Divisor of gradients on their way to the learner, where they state no bound. */
  private final double unit;

  private final long firstRound;
  private ModelSpec spec;
  private int reportsPerRound;

  private long used;
  private long droppedStale;
  private long droppedUnpublished;

  /** Whether an update would differ from the last one. */
  private boolean unpublished = true;

  private boolean unsaved = true;

  /**
   * Creates a model before its first round.
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
    weights = new PublishedWeights(learner, iterate);
    published = new PublishedRounds(ModelSpecs.maxStaleness(spec), d, learner.bets());
    clip = new RoundClip(spec);
    unit = learner.countsInUnitsOfTheBound() && !clip.isMoving() ? spec.getGradientBound() : 1;
    filling = new OpenRound("open", d, ModelSpecs.gridExponent(spec), unit);
    last = new OpenRound("last", d, ModelSpecs.gridExponent(spec), unit);
    agreement =
        new Agreement(learner.countsInUnitsOfTheBound() ? "trimmed-agreement" : "agreement", d);
    reportsPerRound = ModelSpecs.reportsPerRound(spec);
    questions = new AskedQuestions(spec, clip);
  }

  /** Safe, since a learner only receives states that it created itself. */
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
    return firstRound + clip.scouted() + state.round();
  }

  @Override
  public long publishedRound() {
    return published.isEmpty() ? -1 : published.newest().round;
  }

  @Override
  public int open() {
    return filling.count() + last.count();
  }

  @Override
  public int filling() {
    return filling.count();
  }

  @Override
  public boolean hasNews() {
    return unpublished || (published.isConfirmed() && clip.lacksAnswers());
  }

  @Override
  public boolean hasNewRound() {
    return published.isEmpty()
        || round() != published.newest().round
        || (clip.isScouting() && clip.hasAnswers());
  }

  @Override
  public boolean isConfirmed() {
    return published.isConfirmed();
  }

  @Override
  public boolean waitsForBacklog() {
    return true;
  }

  @Override
  public boolean isAnswered() {
    if (published.isEmpty()) {
      return true;
    }
    Publication newest = published.newest();
    // Late answers to a publication that scouts don't move the clip.
    return newest.answered && (clip.isScouting() || newest.reports() >= late);
  }

  @Override
  public void confirm() {
    unsaved |= published.confirm();
  }

  @Override
  public boolean isUnsaved() {
    return unsaved;
  }

  @Override
  public void respec(ModelSpec next) {
    spec = next;
    reportsPerRound = ModelSpecs.reportsPerRound(next);
    questions.follow(next);
    published.resize(ModelSpecs.maxStaleness(next));
    changed();
  }

  private void changed() {
    unpublished = true;
    unsaved = true;
  }

  @Override
  public int staleness(RoundSum sum) {
    int index = published.indexOf(sum.namedRound);
    return index < 0 ? index : published.staleness(index);
  }

  @Override
  public BundleOutcome add(RoundSum sum) {
    return add(sum, false);
  }

  @Override
  public BundleOutcome addAsTimely(RoundSum sum) {
    return add(sum, true);
  }

  private BundleOutcome add(RoundSum sum, boolean asTimely) {
    if (sum.form == VectorForm.ANSWER) {
      return tally(sum);
    }
    if (sum.dimension != learner.dimension()) {
      throw new IllegalArgumentException(
          "A bundle of dimension %d for a model of dimension %d"
              .formatted(sum.dimension, learner.dimension()));
    }
    int index = published.indexOf(sum.namedRound);
    if (index >= 0 && clip.isScouting()) {
      index = PublishedRounds.STALE; // it asks for no gradients
    }
    if (index < 0) {
      return dropUnlisted(index, sum);
    }
    Publication publication = published.at(index);
    if (sum.gradientBound != publication.gradientBound) {
      drop(BundleOutcome.DROPPED_BOUND, sum.count);
      return BundleOutcome.DROPPED_BOUND;
    }
    changed();
    int newer = asTimely ? 0 : published.newer(index);
    boolean isMisleading = newer > learner.harmlessDelay(state);
    arrived(publication, isMisleading ? sum.count : 0);
    if (agreement.isReached()) {
      last.add(sum, publication.direction, publication.pull, reportsPerRound);
      publication.last += sum.count;
      if (last.count() >= MOST_REPORTS) {
        closeLast();
      }
      return BundleOutcome.OPEN;
    }
    long roundSize =
        isMisleading
            ? publication.lateRoundSize(reportsPerRound, newer)
            : publication.roundSize(reportsPerRound);
    if (filling.count() == 0 && sum.count >= roundSize) {
      stepOn(sum, publication);
      return BundleOutcome.STEPPED;
    }
    filling.add(sum, publication.direction, publication.pull, roundSize);
    publication.filling += sum.count;
    if (filling.isFull(reportsPerRound)) {
      closeRound();
      return BundleOutcome.STEPPED;
    }
    return BundleOutcome.OPEN;
  }

  private void arrived(Publication publication, int misleading) {
    publication.answered = true;
    late += misleading;
  }

  /** Drops a bundle that names no round of the list; {@code index} is the reason. */
  private BundleOutcome dropUnlisted(int index, RoundSum sum) {
    BundleOutcome outcome =
        index == PublishedRounds.STALE
            ? BundleOutcome.DROPPED_STALE
            : BundleOutcome.DROPPED_UNPUBLISHED;
    drop(outcome, sum.count);
    return outcome;
  }

  /**
   * Takes an answer. It contains no gradient, so the learner takes no step, and the publication
   * still waits for reports that try its weights, unless it scouts.
   */
  private BundleOutcome tally(RoundSum answer) {
    int index = published.indexOf(answer.namedRound);
    if (index < 0) {
      return dropUnlisted(index, answer);
    }
    if (!questions.add(answer, published.newer(index))) {
      return dropUnlisted(PublishedRounds.STALE, answer);
    }
    if (clip.isScouting()) {
      arrived(published.at(index), 0);
      published.at(index).used += answer.count;
    }
    changed();
    return BundleOutcome.TALLIED;
  }

  @Override
  public BundleOutcome addAsBefore(RoundSum sum) {
    int index = published.indexOf(sum.namedRound);
    if (index < 0 || sum.form == VectorForm.ANSWER) {
      return add(sum);
    }
    changed();
    Publication publication = published.at(index);
    if (filling.count() == 0 && sum.count >= reportsPerRound) {
      stepOn(sum, publication);
    } else {
      filling.add(sum, publication.direction, publication.pull, reportsPerRound);
      if (filling.count() < reportsPerRound) {
        return BundleOutcome.OPEN;
      }
      closeRound();
    }
    publication.used = 0;
    agreement.clear();
    return BundleOutcome.STEPPED;
  }

  @Override
  public void drop(BundleOutcome outcome, int reports) {
    switch (outcome) {
      case DROPPED_STALE -> droppedStale += reports;
      case DROPPED_UNPUBLISHED -> droppedUnpublished += reports;
      case DROPPED_BOUND -> clip.drop(reports);
      case OPEN, STEPPED, TALLIED -> throw new IllegalArgumentException(outcome + " is not a drop");
    }
    changed();
  }

  @Override
  public void closeRound() {
    int reports = filling.count();
    if (reports > 0) {
      filling.close(round);
      step(reports);
      published.closeFilling(reports);
    }
  }

  /** Takes a step on a round of one bundle, without summing it up. */
  private void stepOn(RoundSum sum, Publication publication) {
    double[] direction = publication.direction;
    double share = 1.0 / sum.count;
    double scale = share / (clip.isMoving() ? sum.gradientBound : unit);
    round.reports = sum.count;
    if (sum.form == VectorForm.SPARSE) {
      round.sparse(sum.indices, sum.indices.length);
    } else {
      round.dense();
    }
    round.squaredNorm =
        PackedVectors.decode(
            sum.form, sum.values, sum.indices, clip.gridExponent(sum), scale, round.subgradient);
    if (publication.pull != 0) {
      Vectors.addScaled(publication.pull, direction, round.subgradient);
      round.dense();
      round.squaredNorm = Vectors.squaredNorm(round.subgradient);
    }
    round.coin = direction == null ? 0 : Vectors.dot(round.subgradient, direction);
    round.directionalVariance = sum.directionalVariance * share * share;
    step(sum.count);
    publication.used += sum.count;
  }

  private void step(int reports) {
    round.gradientBound = clip.value();
    learner.step(state, round);
    agreement.add(round);
    used += reports;
    changed();
  }

  @Override
  public Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs) {
    if (mayOpenRound || published.isEmpty()) {
      closeLast();
    }
    if ((mayOpenRound && hasNewRound()) || published.isEmpty()) {
      openRound();
    } else if (!weights.exist()) {
      return Optional.empty();
    } else {
      learner.describe(state, iterate);
      clip.announceAgain();
    }
    unpublished = false;
    unsaved = true;
    return Optional.of(update(nowMs));
  }

  /**
   * Closes the last round; one with fewer reports than the spec requires becomes part of the next
   * round.
   */
  private void closeLast() {
    int reports = last.count();
    if (reports >= reportsPerRound) {
      last.close(round);
      step(reports);
      published.closeLast();
    } else if (reports > 0) {
      last.moveTo(filling);
      published.moveLast();
    }
  }

  private void openRound() {
    learner.publish(state, iterate);
    weights.changed();
    if (clip.open(iterate.weights)) {
      published.clear();
    }
    Publication publication = published.add(round());
    publication.gradientBound = clip.stated();
    if (publication.direction != null) {
      publication.pull = learner.direction(state, publication.direction);
    }
    agreement.clear();
    questions.age();
    late = 0;
  }

  private ModelUpdateView update(long nowMs) {
    ModelUpdateView.Builder update =
        ModelUpdateView.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(published.newest().round)
            .addWeights(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.weights)))
            .addAverage(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.average)))
            .setUsed(used)
            .setDroppedStale(droppedStale)
            .setDroppedUnpublished(droppedUnpublished)
            .setOpen(open())
            .setAnswerProbability(clip.share() * ModelSpecs.answerProbability(spec))
            .putAllDiagnostics(iterate.diagnostics)
            .setPublishedAtMs(nowMs);
    clip.describe(update);
    questions.describe(update);
    return update.build();
  }

  @Override
  public List<Estimate> estimates() {
    return questions.estimates();
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
    writer.count("untold", unpublished ? 1 : 0);
    writer.count("late", late);
    filling.save(writer);
    last.save(writer);
    published.save(writer);
    weights.save(writer);
    agreement.save(writer);
    questions.save(writer);
    clip.visit(writer);
    state.visit(writer);
    unsaved = false;
  }

  @Override
  public void restore(Function<String, byte[]> chunks) {
    LearnerState.Visitor reader = StateChunks.reader(chunks);
    used = reader.count("used", 0);
    droppedStale = reader.count("dropped-stale", 0);
    droppedUnpublished = reader.count("dropped-unpublished", 0);
    unpublished = reader.count("untold", 1) != 0;
    late = reader.count("late", 0);
    filling.restore(reader, reportsPerRound);
    last.restore(reader, reportsPerRound);
    published.restore(reader);
    agreement.restore(reader);
    questions.restore(reader);
    clip.visit(reader);
    learner.restore(state, reader);
    weights.restore(reader, state);
    unsaved = false;
  }

  @Override
  public boolean isObsolete(String chunk) {
    return published.isForgotten(chunk)
        || filling.isObsolete(chunk)
        || last.isObsolete(chunk)
        || agreement.isObsolete(chunk)
        || learner.isObsolete(chunk)
        || weights.isObsolete(chunk)
        || questions.isForgotten(chunk);
  }
}
