package io.croupier.client;

import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.TextCandidates;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The terms on which a published round takes reports: whom it asks for a gradient and whom for an
 * answer, and how a gradient is clipped.
 *
 * <p>With a moving clip they differ from round to round, so a report is made on the terms of the
 * round that it names: with the clip of another round, the job would drop it.
 *
 * @param modelId id of the model
 * @param round the published round
 * @param dimension number of coordinates d; 0 if the model has no learner, but statistics alone
 * @param gradientBound the clip: gradients are clipped to this L2 norm; 0 without a learner
 * @param gridExponent e: reports on the grid are multiples of 2^e; with a size, that of the bound
 * @param answerProbability probability with which a device answers the round
 * @param questionProbability probability with which a device that answers is asked a question, or
 *     for a statistic, instead of for a gradient
 * @param questions the questions of the model, besides that about the size; unmodifiable
 * @param statistics the statistics of the model; unmodifiable
 * @param thresholds of each statistic of quantiles, by its name: whether a value is above it is
 *     what the round asks; unmodifiable
 * @param texts of each statistic of prefixes, by its name: what the round's devices vote for;
 *     unmodifiable
 * @param size what the clip bounds, if it moves; empty if it is fixed. A newer job may announce a
 *     size that this version doesn't know ({@link #hasKnownSize})
 * @param slopeBound with the size FEATURES: the bound on the slope of the loss; otherwise 0
 */
public record RoundTerms(
    String modelId,
    long round,
    int dimension,
    double gradientBound,
    int gridExponent,
    double answerProbability,
    double questionProbability,
    List<Question> questions,
    List<Statistic> statistics,
    Map<String, Double> thresholds,
    Map<String, TextCandidates> texts,
    Optional<AdaptiveClip.Size> size,
    double slopeBound) {

  /**
   * Copies the questions, statistics, thresholds and texts.
   *
   * @throws IllegalArgumentException if an argument is out of range; or, with a size, the grid
   *     isn't that of the bound; or the slope bound is missing with the size FEATURES; or there is
   *     no question, statistic or size to ask for with a positive probability
   */
  public RoundTerms {
    questions = List.copyOf(questions);
    statistics = List.copyOf(statistics);
    thresholds = Map.copyOf(thresholds);
    texts = Map.copyOf(texts);
    require(round >= 0, "round", round, "at least 0");
    requireProbability("answerProbability", answerProbability);
    requireProbability("questionProbability", questionProbability);
    if (dimension == 0 && !statistics.isEmpty()) {
      require(
          questionProbability == 1,
          "questionProbability",
          questionProbability,
          "1 without weights");
    } else {
      require(dimension >= 1, "dimension", dimension, "at least 1, or 0 with statistics");
      requirePositive("gradientBound", gradientBound);
    }
    require(
        questionProbability == 0
            || !questions.isEmpty()
            || !statistics.isEmpty()
            || size.isPresent(),
        "questionProbability",
        questionProbability,
        "0 without questions, statistics and size");
    if (size.isPresent()) {
      int exponent = ModelSpecs.gridExponent(gradientBound);
      require(
          gridExponent == exponent,
          "gridExponent",
          gridExponent,
          exponent + ", that of gradientBound " + gradientBound + ", as the clip moves");
    }
    if (size.filter(AdaptiveClip.Size.FEATURES::equals).isPresent()) {
      requirePositive("slopeBound", slopeBound);
    }
  }

  private static void requirePositive(String name, double value) {
    require(value > 0 && value <= Double.MAX_VALUE, name, value, "positive and finite");
  }

  private static void requireProbability(String name, double value) {
    require(value >= 0 && value <= 1, name, value, "from 0 to 1");
  }

  private static void require(boolean condition, String name, Object value, String right) {
    if (!condition) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be " + right);
    }
  }

  /** Whether the clip moves: then {@link #gradientBound} is that of this round only. */
  public boolean hasMovingClip() {
    return size.isPresent();
  }

  /**
   * Whether the model only searches for its clip: devices are asked for their size, and for no
   * gradient.
   */
  public boolean isScouting() {
    return hasMovingClip() && questionProbability >= 1;
  }

  /** False if the clip bounds a size that this version can't compute. */
  boolean hasKnownSize() {
    return size.isEmpty() || is(AdaptiveClip.Size.FEATURES) || is(AdaptiveClip.Size.GRADIENT);
  }

  /** Whether the clip moves, and bounds a size. */
  boolean is(AdaptiveClip.Size bounded) {
    return size.filter(bounded::equals).isPresent();
  }

  /**
   * The terms of another round of the same model, which are the same if the clip is fixed, but for
   * thresholds and texts: those of the other round are unknown.
   *
   * @throws IllegalArgumentException if the clip moves, unless it is the same round
   */
  public RoundTerms at(long otherRound) {
    if (otherRound == round) {
      return this;
    }
    if (hasMovingClip()) {
      throw new IllegalArgumentException(
          "round is "
              + otherRound
              + "; it must be "
              + round
              + ", that of the update: the clip of model "
              + modelId
              + " moves, so each round has its own terms");
    }
    return new RoundTerms(
        modelId,
        otherRound,
        dimension,
        gradientBound,
        gridExponent,
        answerProbability,
        questionProbability,
        questions,
        statistics,
        Map.of(),
        Map.of(),
        size,
        slopeBound);
  }
}
