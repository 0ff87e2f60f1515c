package io.croupier.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.randomiser.Calibration;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Feature;
import io.croupier.schemas.FeatureRules;
import io.croupier.schemas.LastingTerms;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Prediction;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.TokenWindow;
import io.croupier.schemas.view.ModelUpdateView;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One published state of a model: a {@link io.croupier.schemas.ModelUpdate} in memory.
 *
 * <p>Immutable; returned arrays are copies.
 */
public final class ModelSnapshot {
  private final ModelUpdateView update;
  private final double[] weights;
  private final double[] average;
  private final RoundTerms terms;

  /** Those of the update with encoders; empty without. */
  private final Optional<Features> extended;

  private ModelSnapshot(ModelUpdateView update, double[] weights, double[] average) {
    // Without the vectors, which are stored in the arrays.
    this.update = update.toBuilder().clearWeights().clearAverage().build();
    this.weights = weights;
    this.average = average;
    terms = RoundTerms.of(update, weights.length);
    extended = Optional.empty();
  }

  private ModelSnapshot(ModelSnapshot snapshot, Features features) {
    update = snapshot.update;
    weights = snapshot.weights;
    average = snapshot.average;
    terms = snapshot.terms;
    extended = Optional.of(features);
  }

  /**
   * Reads a {@link io.croupier.schemas.ModelUpdate}.
   *
   * @throws IllegalArgumentException if the bytes are not such a message, or it lacks the model's
   *     id, round, weights, average, gradient bound, grid exponent or, with size FEATURES, slope
   *     bound, or a value is out of range. A model of statistics alone has neither weights nor
   *     average, bound and exponent
   */
  public static ModelSnapshot parse(byte[] modelUpdate) {
    ModelUpdateView update;
    try {
      update = ModelUpdateView.parseFrom(modelUpdate);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a ModelUpdate: " + e.getMessage(), e);
    }
    require(!update.getModelId().isEmpty(), "model_id is missing");
    require(update.hasRound() && update.getRound() >= 0, "round is missing or negative");
    double[] weights = vector("weights", update.getWeightsList());
    double[] average = vector("average", update.getAverageList());
    if (weights.length > 0 || update.hasGradientBound() || update.getStatisticsCount() == 0) {
      requireBound(update);
      requireClip(update);
      require(weights.length > 0, "weights are missing");
    }
    require(
        average.length == weights.length,
        "average has " + average.length + " coordinates; weights have " + weights.length);
    return new ModelSnapshot(update, weights, average);
  }

  private static void requireBound(ModelUpdateView update) {
    require(update.hasGridExponent(), "grid_exponent is missing");
    double bound = update.getGradientBound();
    require(
        bound > 0 && bound <= Double.MAX_VALUE,
        "gradient_bound is missing, or not positive and finite");
  }

  /** What only an update with a moving clip must satisfy. */
  private static void requireClip(ModelUpdateView update) {
    if (!update.hasSize()) {
      return;
    }
    double bound = update.getGradientBound();
    require(
        update.getGridExponent() == ModelSpecs.gridExponent(bound),
        "grid_exponent is "
            + update.getGridExponent()
            + "; with size it must be "
            + ModelSpecs.gridExponent(bound)
            + ", that of gradient_bound "
            + bound);
    double slope = update.getSlopeBound();
    require(
        update.getSize() != AdaptiveClip.Size.FEATURES || (slope > 0 && slope <= Double.MAX_VALUE),
        "slope_bound is missing, or not positive and finite, with size FEATURES");
  }

  private static double[] vector(String field, List<ByteString> runs) {
    int size = 0;
    for (ByteString run : runs) {
      require(run.size() % Double.BYTES == 0, field + " ends within a value");
      size = Math.addExact(size, run.size() / Double.BYTES);
    }
    double[] vector = new double[size];
    int next = 0;
    for (ByteString run : runs) {
      int count = run.size() / Double.BYTES;
      run.asReadOnlyByteBuffer()
          .order(ByteOrder.LITTLE_ENDIAN)
          .asDoubleBuffer()
          .get(vector, next, count);
      next += count;
    }
    for (int i = 0; i < size; i++) {
      require(Math.abs(vector[i]) <= Double.MAX_VALUE, field + " has a value that is not finite");
    }
    return vector;
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException("not a usable ModelUpdate: " + otherwise);
    }
  }

  public String modelId() {
    return update.getModelId();
  }

  /**
   * Number of the published round; 0 is the initial model. It grows with each step of the learner
   * and with each publication that {@linkplain #isScouting scouts}.
   */
  public long round() {
    return update.getRound();
  }

  /** Number of coordinates d; 0 if the model has no learner, but statistics alone. */
  public int dimension() {
    return weights.length;
  }

  /** The weights at which to evaluate the next gradient, shape [d]; a copy. */
  public double[] weights() {
    return weights.clone();
  }

  /** The weights to predict with, shape [d]; a copy. */
  public double[] average() {
    return average.clone();
  }

  /**
   * The earlier round whose {@link #average} this update contains, since an operator rolled the
   * model back; empty if it contains the newest one.
   */
  public OptionalLong averageRound() {
    return update.hasAverageRound()
        ? OptionalLong.of(update.getAverageRound())
        : OptionalLong.empty();
  }

  /** Number of admitted reports that have entered a closed round. */
  public long used() {
    return update.getUsed();
  }

  /** Number of admitted reports that named too old a round. */
  public long droppedStale() {
    return update.getDroppedStale();
  }

  /** Number of admitted reports that named a round that was never published. */
  public long droppedUnpublished() {
    return update.getDroppedUnpublished();
  }

  /** Number of admitted reports that were made with another clip than that of their round. */
  public long droppedBound() {
    return update.getDroppedBound();
  }

  /** Number of admitted reports that wait in the open round. */
  public long open() {
    return update.getOpen();
  }

  /** The terms on which this round takes reports. */
  public RoundTerms terms() {
    return terms;
  }

  /**
   * A calibration for randomisers of this model, that fit every round of it. With a moving clip, a
   * {@link GradientReporter} fits the randomiser to the clip of each round: its guarantee stays
   * that of the calibration. A model of statistics alone takes no gradients: its calibration is one
   * for a single coordinate, whose randomisers serve {@link GradientReporter#respond} by their
   * cost.
   *
   * @param reports number of releases that share the guarantee, at least 1
   * @throws IllegalArgumentException if it is not
   */
  public Calibration calibration(int reports) {
    return dimension() == 0
        ? new Calibration(1, 1, ModelSpecs.gridExponent(1), reports, false)
        : new Calibration(
            gradientBound(), dimension(), gridExponent(), reports, terms.clip().moves());
  }

  /** e: reports are multiples of 2^e; with a moving clip, in this round. */
  public int gridExponent() {
    return terms.clip().gridExponent();
  }

  /** G: gradients are clipped to this L2 norm; with a moving clip, in this round. */
  public double gradientBound() {
    return terms.clip().bound();
  }

  /** What the clip bounds, if it moves; empty if it is fixed. */
  public Optional<AdaptiveClip.Size> size() {
    return terms.clip().size();
  }

  /** The number of the {@link #size} in the update, also of one that this version doesn't know. */
  public int sizeNumber() {
    return update.getSizeValue();
  }

  /** With a moving clip of size FEATURES: the bound on the slope of the loss; otherwise 0. */
  public double slopeBound() {
    return terms.clip().slopeBound();
  }

  /** Whether the model only searches for its clip, and asks for no gradient. */
  public boolean isScouting() {
    return terms.isScouting();
  }

  /** Probability with which a client answers a published round; 1 where none is stated. */
  public double answerProbability() {
    return terms.requests().answerProbability();
  }

  /**
   * Probability with which a device that answers a published round is asked a question, or for a
   * statistic, instead of for a gradient; 0 if the model asks for neither, 1 while it {@linkplain
   * #isScouting scouts} and if it has no learner.
   */
  public double questionProbability() {
    return terms.requests().questionProbability();
  }

  /**
   * The features as the spec describes them, also of kinds that this version doesn't know;
   * unmodifiable.
   */
  public List<Feature> described() {
    return update.getFeaturesList();
  }

  /**
   * How devices compute the model's features; {@link Features#list} is empty if the spec doesn't
   * describe them.
   *
   * @throws IllegalArgumentException if a feature is of a kind that this version doesn't know, or
   *     the weights are not as many as the features make values, or as many for each class
   */
  public Features features() {
    Features features = extended.orElseGet(() -> new Features(described()));
    require(
        features.list().isEmpty() || FeatureRules.fit(features.size(), dimension()),
        "the features make " + features.size() + " values; there are " + dimension() + " weights");
    return features;
  }

  /**
   * The same update with its features and the encoders of this device, for {@link #participant} and
   * {@link #predict}.
   *
   * @throws IllegalArgumentException if they aren't the features of the update
   */
  public ModelSnapshot withFeatures(Features features) {
    if (!features.list().equals(described())) {
      throw new IllegalArgumentException(
          String.format(
              "the features are not those of model %s; they must be made from its features()",
              modelId()));
    }
    return new ModelSnapshot(this, features);
  }

  /**
   * What the model predicts, as the spec names it, also by a loss that this version doesn't know.
   */
  public Optional<Prediction> predicts() {
    return update.hasPredicts() ? Optional.of(update.getPredicts()) : Optional.empty();
  }

  /**
   * A person's data at this round, with the loss that the model names: {@link
   * GradientReporter#respond} reports of them what the round asks for. Their key is the digest of
   * their values.
   *
   * @param row by name of the feature as in {@link Features#vector}, and by the name of the label:
   *     a {@link Boolean} with the logistic and the hinge loss, one of the classes with softmax, a
   *     {@link Number} with the others
   * @throws IllegalArgumentException if a value is missing, of another type, not finite or no class
   * @throws IllegalStateException if the model names no loss; or as {@link Features#vector}
   */
  public Participant participant(Map<String, ?> row) {
    return predictor().rows(row).at(this);
  }

  /** The same under a key of the caller, such as the day of the data. */
  public Participant participant(Map<String, ?> row, DataKey key) {
    return predictor().rows(row).at(this, key);
  }

  /**
   * What the published average predicts of a person.
   *
   * @param row by name of the feature, as in {@link Features#vector}; a label is ignored
   * @return a {@link Double}, with the logistic loss the probability of true, with the squared and
   *     the pinball loss a number in the range of the label; a {@link Boolean} with the hinge loss;
   *     a {@link String}, the most probable class, with softmax
   * @throws IllegalArgumentException as {@link #participant}
   * @throws IllegalStateException as {@link #participant}
   */
  public Object predict(Map<String, ?> row) {
    return predictor().predict(row, average);
  }

  private Predictor predictor() {
    Prediction prediction =
        predicts()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        String.format(
                            "the spec of model %s has no predicts; it must name a label and a loss,"
                                + " or this program make Rows of a loss of its own",
                            modelId())));
    return new Predictor(features(), prediction);
  }

  /** The questions of the model, and what the answers imply so far; unmodifiable. */
  public List<Estimate> estimates() {
    return update.getEstimatesList();
  }

  /** The statistics of the model, and what the votes imply so far; unmodifiable. */
  public List<StatisticEstimate> statistics() {
    return update.getStatisticsList();
  }

  /** Number of admitted answers and votes that have entered the estimates, or moved the clip. */
  public long answers() {
    return update.getAnswers();
  }

  /**
   * The windows that gateways grant tokens for, if the model takes anonymous reports and a gateway
   * served the update: that of this round, and the next one; unmodifiable.
   */
  public List<TokenWindow> windows() {
    return update.getWindowsList();
  }

  /** Scalars by name; unmodifiable. */
  public Map<String, Double> diagnostics() {
    return update.getDiagnosticsMap();
  }

  public long publishedAtMs() {
    return update.getPublishedAtMs();
  }

  /** Whether it may ask a device that an earlier update didn't ask. */
  boolean asksOthersThan(ModelSnapshot earlier) {
    return round() != earlier.round() || answerProbability() > earlier.answerProbability();
  }

  /** Whether both are of one round, with the same terms; counts and times don't matter. */
  boolean isSameRound(ModelSnapshot other) {
    return LastingTerms.of(update).equals(LastingTerms.of(other.update))
        && Arrays.equals(weights, other.weights)
        && Arrays.equals(average, other.average);
  }

  @Override
  public String toString() {
    return "ModelSnapshot[" + modelId() + ", round " + round() + "]";
  }
}
