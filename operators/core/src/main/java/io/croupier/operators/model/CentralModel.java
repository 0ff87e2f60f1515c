package io.croupier.operators.model;

import com.google.protobuf.UnsafeByteOperations;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.ledger.CentralGuarantee;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A model of raw reports, to which the job adds the noise. Round t is leaf t of the noise. It takes
 * only the reports that name it. Once it has at least reports_per_round of them, its goal, the next
 * publication closes it: the learner takes its step on the noisy prefix sum, divided by the goal,
 * whatever the count.
 *
 * <p>Updates contain only what follows from the noisy sums, and numbers of rounds and reports. The
 * publication of a round draws its noise. If the state after a publication is saved before its
 * update becomes visible, a restore draws only noise that was never visible.
 *
 * <p>A bundle costs time proportional to its values, a publication O(d) and the noise.
 */
public final class CentralModel implements LiveModel {
  private static final String SUMS = "sums/";
  private static final String LEARNER = "learner/";
  private static final String OPEN_SUM = "open-sum";
  private static final String CONTINUED = "continued";
  private static final String CONTINUED_AT = "continued-at";

  private final CentralMechanism mechanism;
  private final Iterate iterate;
  private final long firstRound;
  private final int goal;

  /** The most reports in a round. */
  private final long most;

  private final double[] prefix;
  private final long[] openSum;
  private PrefixLearner<LearnerState> learner;
  private LearnerState state;
  private PrefixSum sums;
  private ModelSpec spec;
  private CentralGuarantee guarantee;
  private int open;
  private long used;
  private long droppedStale;
  private long droppedUnpublished;
  private PublishedCounts published;

  /** The initial weights if the model continues from an update; empty otherwise. */
  private double[] continuedAt = {};

  private boolean unpublished = true;

  /** Whether the spec has changed since the last update. Not in state. */
  private boolean urgent;

  private boolean confirmed = true;
  private boolean unsaved = true;

  /** Whether the sums and the learner's state changed since they were saved. */
  private boolean stepUnsaved = true;

  /** Names of the saved nodes. */
  private Set<String> savedNodes = new HashSet<>();

  /** The fields of the last update besides the weights. */
  private record PublishedCounts(
      long round, long used, long droppedStale, long droppedUnpublished, int open, long atMs) {
    static final PublishedCounts NOTHING = new PublishedCounts(-1, 0, 0, 0, 0, 0);
  }

  /**
   * Creates a model before its first round.
   *
   * @param spec a valid central spec
   * @param firstRound number of the initial round; the noise counts earlier rounds as rounds
   *     without reports, as the users' charges do
   * @throws IllegalArgumentException naming the field of the spec that is not supported
   */
  public CentralModel(ModelSpec spec, long firstRound) {
    this(spec, firstRound, CentralMechanism.of(spec));
  }

  /** The same, with the mechanism of the spec. */
  public CentralModel(ModelSpec spec, long firstRound, CentralMechanism mechanism) {
    this.spec = spec;
    this.firstRound = firstRound;
    this.mechanism = mechanism;
    guarantee = new CentralGuarantee(spec, mechanism);
    learner = anyState(CentralLearners.of(spec));
    state = learner.initial();
    iterate = new Iterate(learner.dimension());
    goal = ModelSpecs.reportsPerRound(spec);
    most =
        spec.hasDpFtrlParameterFree()
            ? (long) CentralLearners.MOST_GOALS * goal
            : Integer.MAX_VALUE;
    prefix = new double[learner.sumDimension()];
    openSum = new long[learner.sumDimension()];
    sums = mechanism.start(Math.min(firstRound, mechanism.noise().maxSteps()));
    published = PublishedCounts.NOTHING;
  }

  @Override
  public void continueFrom(ModelUpdate last) {
    beginAt(last.getAverageList().stream().mapToDouble(Double::doubleValue).toArray());
    used = last.getUsed();
    droppedStale = last.getDroppedStale();
    droppedUnpublished = last.getDroppedUnpublished();
  }

  /** Replaces the initial weights of the spec, before the first round. */
  private void beginAt(double[] weights) {
    ModelSpec.Builder continued = spec.toBuilder().clearInitialWeights();
    Arrays.stream(weights).forEach(continued::addInitialWeights);
    learner = anyState(CentralLearners.of(continued.build()));
    state = learner.initial();
    continuedAt = weights;
  }

  /**
   * Checks that a model of a spec can be created, without allocating its vectors.
   *
   * @param searches shared with the later use of the spec
   * @throws IllegalArgumentException naming the field of the spec that is not supported
   */
  public static void check(ModelSpec spec, BltSearches searches) {
    CentralMechanism.of(spec, searches);
    CentralLearners.of(spec);
  }

  /** Safe, since a learner only receives states that it created itself. */
  @SuppressWarnings("unchecked")
  private static PrefixLearner<LearnerState> anyState(
      PrefixLearner<? extends LearnerState> learner) {
    return (PrefixLearner<LearnerState>) learner;
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
  public long publishedRound() {
    return published.round;
  }

  @Override
  public long open() {
    return open;
  }

  @Override
  public boolean hasNews() {
    return unpublished || isFull();
  }

  @Override
  public boolean hasUrgentNews() {
    return hasNewRound() || urgent;
  }

  @Override
  public boolean hasNewRound() {
    return published.round < 0 || isFull();
  }

  @Override
  public boolean isConfirmed() {
    return confirmed;
  }

  /** Returns true: its rounds take only reports that name the last publication. */
  @Override
  public boolean isAnswered() {
    return true;
  }

  @Override
  public void confirm() {
    confirmed = true;
  }

  @Override
  public boolean isFull() {
    return open >= goal;
  }

  /** Returns whether the noise covers no further round. */
  public boolean isOver() {
    return sums.round() == mechanism.noise().maxSteps();
  }

  @Override
  public boolean isUnsaved() {
    return unsaved;
  }

  @Override
  public void respec(ModelSpec next) {
    spec = next;
    guarantee = new CentralGuarantee(next, mechanism);
    unpublished = true;
    urgent = true;
    unsaved = true;
  }

  @Override
  public int staleness(RoundSum sum) {
    return sum.namedRound == published.round ? 0 : -1;
  }

  @Override
  public BundleOutcome add(RoundSum sum) {
    if (sum.dimension != openSum.length) {
      throw new IllegalArgumentException(
          "A bundle of dimension %d for sums of dimension %d"
              .formatted(sum.dimension, openSum.length));
    }
    unsaved = true;
    if (sum.namedRound > published.round) {
      drop(BundleOutcome.DROPPED_UNPUBLISHED, sum.count);
      return BundleOutcome.DROPPED_UNPUBLISHED;
    }
    if (sum.namedRound < published.round || isOver() || open + (long) sum.count > most) {
      drop(BundleOutcome.DROPPED_STALE, sum.count);
      return BundleOutcome.DROPPED_STALE;
    }
    switch (sum.form) {
      case GRID -> PackedVectors.addGrid(sum.values, openSum);
      case GRID_SUM -> PackedVectors.addGridSum(sum.values, openSum);
      case SPARSE_SUM -> addSparse(sum);
      case SPARSE -> addFormerSparse(sum);
      default ->
          throw new IllegalArgumentException(
              "A bundle of form %s, which is not on the grid".formatted(sum.form));
    }
    open += sum.count;
    return BundleOutcome.OPEN;
  }

  @Override
  public void drop(BundleOutcome outcome, int reports) {
    switch (outcome) {
      case DROPPED_STALE -> droppedStale += reports;
      case DROPPED_UNPUBLISHED -> droppedUnpublished += reports;
      case OPEN, TALLIED, DROPPED_BOUND ->
          throw new IllegalArgumentException(outcome + " is not a drop");
    }
  }

  private void addSparse(RoundSum sum) {
    for (int i = 0; i < sum.indices.length; i++) {
      openSum[sum.indices[i]] += PackedVectors.longAt(sum.values, i);
    }
  }

  /** Adds a bundle of release 0.2.0 that waited for its spec: doubles, each on the grid. */
  private void addFormerSparse(RoundSum sum) {
    double toSteps = 1 / mechanism.gridStep();
    for (int i = 0; i < sum.indices.length; i++) {
      openSum[sum.indices[i]] += (long) (PackedVectors.doubleAt(sum.values, i) * toSteps);
    }
  }

  private void step() {
    sums.add(openSum, prefix);
    Arrays.fill(openSum, 0);
    Vectors.scale(1.0 / goal, prefix, prefix);
    learner.step(state, prefix, mechanism.variance(sums.round()) / ((double) goal * goal));
    used += open;
    open = 0;
    stepUnsaved = true;
  }

  /**
   * Publishes an update; while a new round must wait, there is none. A round that is published
   * again, since its spec has changed, keeps its time: by that, a start knows its draw of the
   * noise.
   */
  @Override
  public Optional<ModelUpdateView> publish(boolean mayOpenRound, long nowMs) {
    if (!mayOpenRound && hasNewRound() && published.round >= 0) {
      return Optional.empty();
    }
    if (hasNewRound()) {
      confirmed = false;
    }
    if (isFull()) {
      step();
    }
    long atMs = round() == published.round ? published.atMs : nowMs;
    published = new PublishedCounts(round(), used, droppedStale, droppedUnpublished, open, atMs);
    unpublished = false;
    urgent = false;
    unsaved = true;
    return Optional.of(update());
  }

  @Override
  public Optional<ModelUpdateView> lastUpdate() {
    return published.round < 0 ? Optional.empty() : Optional.of(update());
  }

  private ModelUpdateView update() {
    learner.publish(state, iterate);
    return ModelUpdateView.newBuilder()
        .setModelId(spec.getModelId())
        .setRound(published.round)
        .addWeights(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.weights)))
        .addAverage(UnsafeByteOperations.unsafeWrap(PackedVectors.encode(iterate.average)))
        .setUsed(published.used)
        .setDroppedStale(published.droppedStale)
        .setDroppedUnpublished(published.droppedUnpublished)
        .setOpen(published.open)
        .setGridExponent(ModelSpecs.gridExponent(spec))
        .setGradientBound(spec.getGradientBound())
        .setAnswerProbability(ModelSpecs.answerProbability(spec))
        .setPublishedAtMs(published.atMs)
        .addAllFeatures(spec.getFeaturesList())
        .build();
  }

  @Override
  public Optional<GuaranteeEvent> guarantee() {
    return Optional.of(guarantee.event(Math.min(published.round, mechanism.noise().maxSteps())));
  }

  @Override
  public void save(BiConsumer<String, byte[]> chunks) {
    LearnerState.Visitor writer = StateChunks.writer(chunks);
    visitCounts(writer);
    if (continuedAt.length > 0) {
      writer.count(CONTINUED, 1);
    }
    if (open > 0) {
      writer.counts(OPEN_SUM, openSum);
    }
    if (stepUnsaved) {
      saveStep(chunks);
    }
    unsaved = false;
    stepUnsaved = false;
  }

  private void saveStep(BiConsumer<String, byte[]> chunks) {
    if (continuedAt.length > 0) {
      StateChunks.writer(chunks).vector(CONTINUED_AT, continuedAt);
    }
    sums.visit(
        StateChunks.writer(
            (name, bytes) -> chunks.accept(SUMS + name, bytes), savedNodes::contains));
    savedNodes = nodes();
    state.visit(StateChunks.writer((name, bytes) -> chunks.accept(LEARNER + name, bytes)));
  }

  /** Returns the names of the noise's nodes. */
  private Set<String> nodes() {
    Set<String> nodes = new HashSet<>();
    sums.visit(
        StateChunks.writer(
            (name, bytes) -> {},
            name -> {
              if (name.startsWith(PrefixSum.NODE)) {
                nodes.add(name);
              }
              return true;
            }));
    return nodes;
  }

  @Override
  public void restore(Function<String, byte[]> chunks) {
    LearnerState.Visitor reader = StateChunks.reader(chunks);
    visitCounts(reader);
    if (reader.count(CONTINUED, 0) == 1) {
      double[] weights = new double[learner.dimension()];
      Arrays.fill(weights, Double.NaN);
      reader.vector(CONTINUED_AT, weights);
      if (Arrays.stream(weights).anyMatch(Double::isNaN)) {
        throw new IllegalStateException(
            "The initial weights in the state are missing or incomplete");
      }
      beginAt(weights);
    }
    if (open > 0) {
      Arrays.fill(openSum, Long.MIN_VALUE);
      reader.counts(OPEN_SUM, openSum);
      if (Arrays.stream(openSum).anyMatch(sum -> sum == Long.MIN_VALUE)) {
        throw new IllegalStateException("The open sum in the state is missing or incomplete");
      }
    }
    sums = mechanism.start(0);
    sums.visit(StateChunks.reader(name -> chunks.apply(SUMS + name)));
    state.visit(StateChunks.reader(name -> chunks.apply(LEARNER + name)));
    long steps = Math.min(round(), mechanism.noise().maxSteps());
    if (sums.round() != steps) {
      throw new IllegalStateException(
          "The state of model %s is inconsistent: its noise covers %d rounds, its learner's weights %d"
              .formatted(spec.getModelId(), sums.round(), steps));
    }
    unsaved = false;
    stepUnsaved = false;
    savedNodes = nodes();
  }

  private void visitCounts(LearnerState.Visitor visitor) {
    used = visitor.count("used", used);
    droppedStale = visitor.count("dropped-stale", droppedStale);
    droppedUnpublished = visitor.count("dropped-unpublished", droppedUnpublished);
    unpublished = visitor.count("untold", unpublished ? 1 : 0) == 1;
    open = (int) visitor.count("open", open);
    published =
        new PublishedCounts(
            visitor.count("told-round", published.round),
            visitor.count("told-used", published.used),
            visitor.count("told-dropped-stale", published.droppedStale),
            visitor.count("told-dropped-unpublished", published.droppedUnpublished),
            (int) visitor.count("told-open", published.open),
            visitor.count("told-at-ms", published.atMs));
  }

  @Override
  public boolean isObsolete(String chunk) {
    if (chunk.startsWith(OPEN_SUM)) {
      return open == 0;
    }
    return chunk.startsWith(SUMS + PrefixSum.NODE)
        && !savedNodes.contains(chunk.substring(SUMS.length(), chunk.lastIndexOf('/')));
  }
}
