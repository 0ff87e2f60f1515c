package io.croupier.client;

import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.TextCandidates;
import io.croupier.schemas.view.ModelUpdateView;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The terms on which a published round takes reports: whom it asks for a gradient and whom for an
 * answer, and how a gradient is clipped.
 *
 * <p>With a moving clip they differ from round to round, so a report is made on the terms of the
 * round that it names: with the clip of another round, the job would drop it.
 */
public final class RoundTerms {
  private final String modelId;
  private final long round;
  private final int dimension;
  private final Clip clip;
  private final Requests requests;
  private final Limits limits;

  private RoundTerms(
      String modelId, long round, int dimension, Clip clip, Requests requests, Limits limits) {
    this.modelId = modelId;
    this.round = round;
    this.dimension = dimension;
    this.clip = clip;
    this.requests = requests;
    this.limits = limits;
  }

  /**
   * How gradients are clipped.
   *
   * @param bound gradients are clipped to this L2 norm; 0 without a learner
   * @param gridExponent e: reports on the grid are multiples of 2^e; with a size, that of the bound
   * @param size what the clip bounds, if it moves: the bound is then that of this round only; empty
   *     if it is fixed. A newer job may announce a size that this version doesn't know
   * @param slopeBound with the size FEATURES: the bound on the slope of the loss; otherwise 0
   */
  public record Clip(
      double bound, int gridExponent, Optional<AdaptiveClip.Size> size, double slopeBound) {
    /** Whether the clip moves. */
    public boolean moves() {
      return size.isPresent();
    }

    /** False if it bounds a size that this version can't compute. */
    boolean hasKnownSize() {
      return size.isEmpty()
          || bounds(AdaptiveClip.Size.FEATURES)
          || bounds(AdaptiveClip.Size.GRADIENT);
    }

    /** Whether it moves, and bounds a size. */
    boolean bounds(AdaptiveClip.Size bounded) {
      return size.filter(bounded::equals).isPresent();
    }
  }

  /**
   * What a round may ask a device for. All lists and maps are unmodifiable.
   *
   * @param answerProbability probability with which a device answers the round
   * @param questionProbability probability with which a device that answers is asked a question, or
   *     for a statistic, instead of for a gradient
   * @param questions the questions of the model, besides that about the size
   * @param statistics the statistics of the model
   * @param thresholds of each statistic of quantiles, by its name: whether a value is above it is
   *     what the round asks
   * @param texts of each statistic of prefixes, by its name: what the round's devices vote for
   */
  public record Requests(
      double answerProbability,
      double questionProbability,
      List<Question> questions,
      List<Statistic> statistics,
      Map<String, Double> thresholds,
      Map<String, TextCandidates> texts) {}

  /**
   * The terms of an update.
   *
   * @throws IllegalArgumentException if a probability is out of range, or there is no question,
   *     statistic or size to ask for with a positive one
   */
  static RoundTerms of(ModelUpdateView update, int dimension) {
    Clip clip =
        new Clip(
            update.getGradientBound(),
            update.getGridExponent(),
            update.hasSize() ? Optional.of(update.getSize()) : Optional.empty(),
            update.getSlopeBound());
    boolean asks =
        update.getEstimatesCount() > 0 || update.getStatisticsCount() > 0 || clip.moves();
    Requests requests =
        new Requests(
            update.hasAnswerProbability() ? update.getAnswerProbability() : 1,
            asks ? update.getQuestionProbability() : 0,
            update.getEstimatesList().stream()
                .map(Estimate::getQuestion)
                .collect(Collectors.toUnmodifiableList()),
            update.getStatisticsList().stream()
                .map(StatisticEstimate::getStatistic)
                .collect(Collectors.toUnmodifiableList()),
            thresholds(update),
            texts(update));
    requireProbability("answer_probability", requests.answerProbability);
    requireProbability("question_probability", requests.questionProbability);
    if (dimension == 0 && requests.questionProbability != 1) {
      throw new IllegalArgumentException(
          "question_probability is "
              + requests.questionProbability
              + "; it must be 1 without weights");
    }
    return new RoundTerms(
        update.getModelId(), update.getRound(), dimension, clip, requests, update.getLimits());
  }

  private static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be from 0 to 1");
    }
  }

  private static Map<String, Double> thresholds(ModelUpdateView update) {
    return update.getStatisticsList().stream()
        .filter(each -> each.getStatistic().hasQuantiles() && each.hasThreshold())
        .collect(
            Collectors.toUnmodifiableMap(
                each -> each.getStatistic().getName(),
                StatisticEstimate::getThreshold,
                (a, b) -> a));
  }

  private static Map<String, TextCandidates> texts(ModelUpdateView update) {
    return update.getStatisticsList().stream()
        .filter(each -> each.getStatistic().hasPrefixes())
        .filter(each -> each.getTexts().getPrefixesList().stream().limit(1).anyMatch(""::equals))
        .collect(
            Collectors.toUnmodifiableMap(
                each -> each.getStatistic().getName(),
                each ->
                    new TextCandidates(
                        each.getStatistic().getPrefixes(),
                        each.getTexts().getPrefixesList(),
                        each.getTexts().getTextsList()),
                (a, b) -> a));
  }

  /** Id of the model. */
  public String modelId() {
    return modelId;
  }

  /** The published round. */
  public long round() {
    return round;
  }

  /** Number of coordinates d; 0 if the model has no learner, but statistics alone. */
  public int dimension() {
    return dimension;
  }

  /** How gradients are clipped. */
  public Clip clip() {
    return clip;
  }

  /** What the round may ask a device for. */
  public Requests requests() {
    return requests;
  }

  /**
   * Whether the model only searches for its clip: devices are asked for their size, and for no
   * gradient.
   */
  public boolean isScouting() {
    return clip.moves() && requests.questionProbability >= 1;
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
    if (clip.moves()) {
      throw new IllegalArgumentException(
          "round is "
              + otherRound
              + "; it must be "
              + round
              + ", that of the update: the clip of model "
              + modelId
              + " moves, so each round has its own terms");
    }
    Requests others =
        new Requests(
            requests.answerProbability,
            requests.questionProbability,
            requests.questions,
            requests.statistics,
            Map.of(),
            Map.of());
    return new RoundTerms(modelId, otherRound, dimension, clip, others, limits);
  }

  /**
   * Checks what one report costs against the model's limits for a person: the job would refuse
   * every report above them, and charge it. Whether they admit one more, the job alone knows.
   *
   * @throws LimitReachedException if the report costs more than they allow altogether
   */
  void requireWithinLimits(ReleaseCost cost) {
    // With a delta, the epsilon of a report may exceed the one that the job computes.
    if (limits.hasEpsilon() && !limits.hasDelta()) {
      requireWithin("epsilon", cost.epsilon(), limits.getEpsilon());
    }
    if (limits.hasMu()) {
      requireWithin("mu", cost.mu(), limits.getMu());
    }
  }

  private void requireWithin(String name, BigDecimal cost, double limit) {
    if (limit < Double.POSITIVE_INFINITY && cost.compareTo(ReleaseCost.decimal(limit)) > 0) {
      throw new LimitReachedException(
          String.format(
              "%s on model %s would be %s; the model's limit for a person is %s",
              name,
              modelId,
              cost.toPlainString(),
              ReleaseCost.decimal(limit).stripTrailingZeros().toPlainString()));
    }
  }
}
