package io.croupier.operators.model;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.Round;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
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
 * A model of reports with noise from the devices. All reports that arrive between two publications
 * are one round: they may name any of the last publications, and the learner takes one step on them
 * when the next publication opens a new round. A round doesn't depend on the order in which its
 * reports arrived, bit for bit.
 *
 * <p>With anonymous windows a publication may follow one without reports: then the learner takes no
 * step, and the weights stay.
 *
 * <p>A model of statistics alone has a learner of no weights, and rounds of votes.
 *
 * <p>A bundle costs O(d), a sparse one O(non-zeros), and allocates nothing once the working vectors
 * exist.
 */
public final class LocalModel implements LiveModel {
  private static final String LEARNER = "learner/";

  private final Learner<LearnerState> learner;
  private final LearnerState state;
  private final Round round = new Round();
  private final Iterate iterate;
  private final PublishedWeights weights;
  private final PublishedRounds published;
  private final OpenRound open;
  private final RoundClip clip;
  private final AskedQuestions questions;
  private final KeptAverages averages;
  private final long firstRound;
  private ModelSpec spec;
  private int reportsPerRound;

  /** Publications without reports that another one has followed. */
  private long empty;

  private long used;
  private long droppedStale;
  private long droppedUnpublished;

  /** Whether an update would differ from the last one. */
  private boolean unpublished = true;

  /** Whether the spec has changed since the last update. Not in state. */
  private boolean urgent;

  private boolean unsaved = true;

  /** Why the next update opens no new round. Not in state. */
  private Wait wait = Wait.WAIT_UNSPECIFIED;

  /** Whether the last update had that reason; false after a restore. */
  private boolean knowsWait = true;

  /** Whether the state comes from a release whose learners had another state. */
  private boolean isFormer;

  private boolean replacesFormer;

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
    iterate = new Iterate(d);
    weights = new PublishedWeights(learner, iterate);
    published = new PublishedRounds(ModelSpecs.maxStaleness(spec));
    clip = new RoundClip(spec);
    open = new OpenRound(d, spec.getGradientBound());
    reportsPerRound = ModelSpecs.reportsPerRound(spec);
    questions = new AskedQuestions(spec, clip);
    averages = new KeptAverages(spec);
  }

  @Override
  public void continueFrom(ModelUpdate last) {
    double[] average = last.getAverageList().stream().mapToDouble(Double::doubleValue).toArray();
    learner.beginAt(state, average, last.getRound() + 1 - firstRound);
    used = last.getUsed();
    droppedStale = last.getDroppedStale();
    droppedUnpublished = last.getDroppedUnpublished();
    clip.continueFrom(last.getGradientBound());
    if (last.hasAverageRound()) {
      averages.continueFrom(last, average);
    }
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
    return firstRound + clip.scouted() + empty + state.round();
  }

  @Override
  public long publishedRound() {
    return published.isEmpty() ? -1 : published.newest().round;
  }

  @Override
  public long open() {
    return open.count();
  }

  @Override
  public boolean hasNews() {
    return unpublished || (published.isConfirmed() && clip.lacksAnswers());
  }

  @Override
  public boolean hasUrgentNews() {
    return urgent || (published.isConfirmed() && clip.lacksAnswers());
  }

  @Override
  public boolean hasNewRound() {
    return published.isEmpty()
        || open.count() > 0
        || spec.hasAnonymous()
        || (clip.isScouting() && clip.hasAnswers());
  }

  @Override
  public boolean isFull() {
    return clip.isScouting() || open.count() >= reportsPerRound;
  }

  @Override
  public boolean isConfirmed() {
    return published.isConfirmed();
  }

  @Override
  public boolean isAnswered() {
    return published.isEmpty() || published.newest().answered;
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
    questions.follow(next, publishedRound());
    averages.follow(next);
    published.resize(ModelSpecs.maxStaleness(next));
    urgent = true;
    changed();
  }

  private void changed() {
    unpublished = true;
    unsaved = true;
  }

  @Override
  public Optional<String> obstacle() {
    return averages.obstacle();
  }

  @Override
  public int staleness(RoundSum sum) {
    int index = published.indexOf(sum.namedRound);
    return index < 0 ? index : published.staleness(index);
  }

  @Override
  public boolean isTooOld(long round) {
    return published.indexOf(round) == PublishedRounds.STALE;
  }

  @Override
  public BundleOutcome add(RoundSum sum) {
    if (!sum.form.isGradient()) {
      return tally(sum);
    }
    if (sum.dimension != learner.dimension()) {
      throw new IllegalArgumentException(
          "A bundle of dimension %d for a model of dimension %d"
              .formatted(sum.dimension, learner.dimension()));
    }
    int index = published.indexOf(sum.namedRound);
    if (index < 0) {
      return dropped(PublishedRounds.outcome(index), sum);
    }
    if (clip.isScouting()) {
      return dropped(BundleOutcome.DROPPED_STALE, sum); // it asks for no gradients
    }
    Publication publication = published.at(index);
    if (sum.gradientBound != publication.gradientBound) {
      return dropped(BundleOutcome.DROPPED_BOUND, sum);
    }
    publication.answered = true;
    if (FormerState.isFormer(sum, clip.gridExponent(sum))) {
      open.addFormer(sum.count, FormerState.values(sum, clip.gridExponent(sum)));
    } else {
      open.add(sum);
    }
    changed();
    return BundleOutcome.OPEN;
  }

  private BundleOutcome dropped(BundleOutcome outcome, RoundSum sum) {
    drop(outcome, sum.count);
    return outcome;
  }

  /**
   * Takes an answer or a vote. It contains no gradient, so the learner takes no step, and the
   * publication still waits for reports that try its weights, unless it scouts. Without weights, it
   * is a report of the round.
   */
  private BundleOutcome tally(RoundSum answer) {
    int index = published.indexOf(answer.namedRound);
    if (index < 0) {
      return dropped(PublishedRounds.outcome(index), answer);
    }
    if (!questions.add(answer, published.newer(index))) {
      return dropped(BundleOutcome.DROPPED_STALE, answer);
    }
    if (learner.dimension() == 0) {
      open.count(answer);
    }
    if (clip.isScouting() || learner.dimension() == 0) {
      published.at(index).answered = true;
    }
    changed();
    return BundleOutcome.TALLIED;
  }

  @Override
  public void drop(BundleOutcome outcome, int reports) {
    switch (outcome) {
      case DROPPED_STALE -> droppedStale += reports;
      case DROPPED_UNPUBLISHED -> droppedUnpublished += reports;
      case DROPPED_BOUND -> clip.drop(reports);
      case OPEN, TALLIED -> throw new IllegalArgumentException(outcome + " is not a drop");
    }
    changed();
  }

  @Override
  public void waitsFor(Wait reason) {
    unpublished |= knowsWait && reason != wait && open() > 0;
    wait = reason;
    knowsWait = true;
  }

  @Override
  public Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs) {
    if ((mayOpenRound && hasNewRound()) || published.isEmpty()) {
      closeRound();
      openRound();
      averages.published(round(), nowMs, iterate.average);
      wait = Wait.WAIT_UNSPECIFIED;
    } else if (!weights.exist()) {
      return Optional.empty();
    } else {
      learner.describe(state, iterate);
      clip.announceAgain();
    }
    unpublished = false;
    urgent = false;
    unsaved = true;
    return Optional.of(update(nowMs));
  }

  private void closeRound() {
    if (open.count() > 0) {
      used += open.count();
      open.close(round, clip.value());
      clip.close(round);
      learner.step(state, round);
    } else if (spec.hasAnonymous() && !published.isEmpty()) {
      empty++;
    }
  }

  private void openRound() {
    clip.count();
    learner.publish(state, round(), iterate);
    weights.changed();
    if (clip.open(iterate.weights)) {
      published.clear();
    }
    published.add(round()).gradientBound = clip.stated();
    learner.forget(state, published.oldest());
    questions.age(published.oldest());
  }

  private ModelUpdateView update(long nowMs) {
    ModelUpdateView.Builder update =
        ModelUpdateView.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(published.newest().round)
            .addWeights(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.weights)))
            .addAverage(
                UnsafeByteOperations.unsafeWrap(
                    PackedVectors.encode(averages.served(iterate.average))))
            .setUsed(used)
            .setDroppedStale(droppedStale)
            .setDroppedUnpublished(droppedUnpublished)
            .setOpen(open())
            .setAnswerProbability(clip.share() * ModelSpecs.answerProbability(spec))
            .putAllDiagnostics(iterate.diagnostics)
            .setPublishedAtMs(nowMs)
            .addAllFeatures(spec.getFeaturesList());
    if (spec.hasPredicts()) {
      update.setPredicts(spec.getPredicts());
    }
    if (spec.hasLimits()) {
      update.setLimits(spec.getLimits());
    }
    if (wait != Wait.WAIT_UNSPECIFIED && open() > 0) {
      update.setWaitsFor(wait);
    }
    if (learner.dimension() > 0) {
      clip.describe(update);
    }
    questions.describe(update);
    averages.describe(update);
    return update.build();
  }

  @Override
  public List<Estimate> estimates() {
    return questions.estimates();
  }

  @Override
  public List<StatisticEstimate> statistics() {
    return questions.statistics();
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
    if (spec.hasAnonymous()) {
      writer.count("empty-publications", empty);
    }
    open.save(writer);
    published.save(writer);
    weights.save(writer);
    questions.save(writer);
    averages.save(writer);
    clip.visit(writer);
    state.visit(StateChunks.writer((name, bytes) -> chunks.accept(LEARNER + name, bytes)));
    unsaved = false;
    replacesFormer = isFormer;
    isFormer = false;
  }

  @Override
  public void restore(Function<String, byte[]> chunks) {
    LearnerState.Visitor reader = StateChunks.reader(chunks);
    used = reader.count("used", 0);
    droppedStale = reader.count("dropped-stale", 0);
    droppedUnpublished = reader.count("dropped-unpublished", 0);
    unpublished = reader.count("untold", 1) != 0;
    empty = reader.count("empty-publications", 0);
    open.restore(reader);
    published.restore(reader);
    questions.restore(reader);
    clip.visit(reader);
    averages.restore(reader, learner.dimension());
    isFormer = chunks.apply(LEARNER + "round") == null;
    if (isFormer) {
      new FormerState(spec, chunks).restore(learner, state, open, clip.value());
    } else {
      state.visit(StateChunks.reader(name -> chunks.apply(LEARNER + name)));
    }
    weights.restore(reader, isFormer ? null : state);
    if (isFormer && clip.isScouting()) {
      // It has taken no step in any release.
      double[] initial = ModelSpecs.initialWeights(spec);
      System.arraycopy(initial, 0, iterate.weights, 0, initial.length);
      weights.changed();
    }
    unsaved = isFormer;
    knowsWait = false;
  }

  @Override
  public boolean isObsolete(String chunk) {
    return replacesFormer
        || OpenRound.isObsolete(chunk)
        || questions.isForgotten(chunk)
        || averages.isForgotten(chunk)
        || (chunk.startsWith(LEARNER)
            && learner.isObsolete(state, chunk.substring(LEARNER.length())));
  }

  @Override
  public boolean replacesFormerState() {
    return replacesFormer;
  }
}
