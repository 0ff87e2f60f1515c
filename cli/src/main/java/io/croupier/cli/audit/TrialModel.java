package io.croupier.cli.audit;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.Participant;
import io.croupier.client.RoundTerms;
import io.croupier.client.Sizes;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Feature;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PredictionRules;
import io.croupier.schemas.Quantiles;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model as a device under test sees it, and what a right device makes of two people. Both have
 * the same features, at the upper ends of their ranges, and labels that are as different as they
 * may be. The weights are zero, or those of a recorded update. The gradient bound is half of the
 * shorter gradient, so that a device must clip.
 */
final class TrialModel {
  private final ModelSpec spec;
  private final Map<String, Object> first = new LinkedHashMap<>();
  private final Map<String, Object> second = new LinkedHashMap<>();
  private final List<Double> weights;
  private final List<Double> average;
  private final double bound;

  /**
   * Makes the model of a valid spec.
   *
   * @throws InputException if the spec names no label and loss, or has a feature with an encoder
   */
  TrialModel(ModelSpec spec) {
    this(spec, zero(spec));
  }

  private static ModelUpdate zero(ModelSpec spec) {
    List<Double> zeros = Collections.nCopies(spec.getDimension(), 0.0);
    return ModelUpdate.newBuilder().addAllWeights(zeros).addAllAverage(zeros).build();
  }

  /**
   * The same at the weights and the average of an update.
   *
   * @throws InputException likewise, or if the update isn't one of the model, or one of both people
   *     has no gradient there
   */
  TrialModel(ModelSpec spec, ModelUpdate recorded) {
    this.spec = spec;
    weights = recorded.getWeightsList();
    average = recorded.getAverageList();
    requireOfModel(recorded);
    if (!spec.hasPredicts()) {
      throw new InputException(
          "Model '%s' has no predicts; it must name a label and a loss: without them, only the device knows its gradient"
              .formatted(spec.getModelId()));
    }
    for (Feature feature : spec.getFeaturesList()) {
      Optional<Object> value = value(feature);
      value.ifPresent(known -> first.put(feature.getName(), known));
      value.ifPresent(known -> second.put(feature.getName(), known));
    }
    putLabels();
    ModelSnapshot model = snapshot(update(0, 1, false));
    RoundTerms terms = model.terms();
    double shorter =
        Math.min(size(model.participant(first), terms), size(model.participant(second), terms));
    bound = shorter / 2;
    if (!(bound > 0 && bound <= Double.MAX_VALUE)) {
      throw new InputException(
          "At these weights the gradient of a test person has length %s; it must be positive and finite, so give another update"
              .formatted(shorter));
    }
  }

  private void requireOfModel(ModelUpdate recorded) {
    if (!recorded.getModelId().isEmpty() && !recorded.getModelId().equals(spec.getModelId())) {
      throw new InputException(
          "The update is of model '%s', but the spec of '%s'; they must be of the same model"
              .formatted(recorded.getModelId(), spec.getModelId()));
    }
    if (weights.size() != spec.getDimension() || average.size() != spec.getDimension()) {
      throw new InputException(
          "The update has %d weights, and an average of %d; the dimension of model '%s' is %d"
              .formatted(weights.size(), average.size(), spec.getModelId(), spec.getDimension()));
    }
    if (recorded.hasPredicts() && !recorded.getPredicts().equals(spec.getPredicts())) {
      throw new InputException(
          "The update predicts %s, but the spec %s; they must be of the same model"
              .formatted(
                  PredictionRules.inWords(recorded.getPredicts()),
                  PredictionRules.inWords(spec.getPredicts())));
    }
  }

  /** What the moving clip bounds, or else the length of the gradient. */
  private static double size(Participant person, RoundTerms terms) {
    return terms.clip().moves() ? person.size() : Sizes.norm(person.gradient());
  }

  private static Optional<Object> value(Feature feature) {
    return switch (feature.getKindCase()) {
      case RANGE -> Optional.of(feature.getRange().getTo());
      case MOMENTS ->
          Optional.of(feature.getMoments().getMean() + feature.getMoments().getDeviation());
      case YES_NO -> Optional.of(true);
      case ONE_HOT -> Optional.of(feature.getOneHot().getCategories(0));
      case ENCODER ->
          throw new InputException(
              "Feature '%s' has an encoder, for which the test has no value"
                  .formatted(feature.getName()));
      case INTERCEPT, KIND_NOT_SET -> Optional.empty();
    };
  }

  private void putLabels() {
    Feature label = PredictionRules.label(spec.getPredicts());
    switch (label.getKindCase()) {
      case RANGE -> {
        first.put(label.getName(), label.getRange().getTo());
        second.put(label.getName(), label.getRange().getFrom());
      }
      case ONE_HOT -> {
        first.put(label.getName(), label.getOneHot().getCategories(0));
        second.put(label.getName(), label.getOneHot().getCategories(1));
      }
      default -> {
        first.put(label.getName(), true);
        second.put(label.getName(), false);
      }
    }
  }

  ModelSpec spec() {
    return spec;
  }

  /** The values of one of both people. */
  Map<String, Object> row(boolean isFirst) {
    return isFirst ? first : second;
  }

  /** What the model asks besides gradients: about its clip, or its first question. */
  Optional<Question> question() {
    return spec.hasAdaptiveClip()
        ? Optional.of(Question.newBuilder().setName("clip").build())
        : spec.getQuestionsList().stream().findFirst();
  }

  /** The statistic that the test asks for: the first choice, or the first one of quantiles. */
  Optional<Statistic> statistic() {
    return spec.getStatisticsList().stream()
        .filter(statistic -> statistic.hasChoice() || statistic.hasQuantiles())
        .findFirst();
  }

  /** What one of both people has in the statistic: the first or last category, or end. */
  Map<String, Object> categories(boolean isFirst) {
    return statistic()
        .map(
            statistic ->
                Map.of(
                    statistic.getName(),
                    statistic.hasChoice()
                        ? category(statistic.getChoice().getCategoriesList(), isFirst)
                        : (Object) end(statistic.getQuantiles(), isFirst)))
        .orElse(Map.of());
  }

  private static Object category(List<String> categories, boolean isFirst) {
    return categories.get(isFirst ? 0 : categories.size() - 1);
  }

  private static double end(Quantiles quantiles, boolean isFirst) {
    return isFirst ? quantiles.getTo() : quantiles.getFrom();
  }

  /** The update of a round in which every device is asked for a gradient, or the question. */
  ModelUpdate update(long round, boolean asks) {
    return update(round, bound, asks);
  }

  /** The update of a round in which every device is asked for the statistic. */
  ModelUpdate counting(long round) {
    ModelUpdate.Builder update = update(round, bound, false).toBuilder();
    Statistic statistic = statistic().orElseThrow();
    StatisticEstimate.Builder asked = update.addStatisticsBuilder().setStatistic(statistic);
    if (statistic.hasQuantiles()) {
      Quantiles quantiles = statistic.getQuantiles();
      asked.setThreshold((quantiles.getFrom() + quantiles.getTo()) / 2);
    }
    // With a moving clip, a round that asks for no gradient asks for sizes.
    return update.clearSize().clearSlopeBound().setQuestionProbability(1).build();
  }

  private ModelUpdate update(long round, double clip, boolean asks) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(round)
            .addAllWeights(weights)
            .addAllAverage(average)
            .setGradientBound(clip)
            .setGridExponent(ModelSpecs.gridExponent(clip))
            .setAnswerProbability(1)
            .setQuestionProbability(asks ? 1 : 0)
            .setPublishedAtMs(round)
            .addAllFeatures(spec.getFeaturesList())
            .setPredicts(spec.getPredicts());
    if (spec.hasAdaptiveClip()) {
      AdaptiveClip moving = spec.getAdaptiveClip();
      update.setSize(moving.getSize());
      if (moving.getSize() == AdaptiveClip.Size.FEATURES) {
        update.setSlopeBound(moving.hasSlopeBound() ? moving.getSlopeBound() : 1);
      }
    } else if (asks) {
      update.addEstimatesBuilder().setQuestion(spec.getQuestions(0));
    }
    return update.build();
  }

  private static ModelSnapshot snapshot(ModelUpdate update) {
    return ModelSnapshot.parse(update.toByteArray());
  }

  /** The true answer to the question. */
  boolean truth(boolean isFirst) {
    ModelSnapshot model = snapshot(update(0, true));
    Participant person = model.participant(row(isFirst));
    return model.terms().clip().moves()
        ? person.size() > bound
        : person.answer(spec.getQuestions(0));
  }

  /** The direction of a clipped gradient on the lifted sphere, shape [d + 1]. */
  double[] direction(boolean isFirst) {
    ModelSnapshot model = snapshot(update(0, false));
    Participant person = model.participant(row(isFirst));
    double[] gradient = person.gradient();
    double length = Sizes.norm(gradient);
    // In units of the bound. Where the clip moves, the size is at least twice the bound.
    double clipped = model.terms().clip().moves() ? Math.min(1, length / person.size()) : 1;
    double[] direction = new double[gradient.length + 1];
    for (int j = 0; j < gradient.length; j++) {
      direction[j] = gradient[j] / length * clipped;
    }
    direction[gradient.length] = Math.sqrt(Math.max(0, 1 - clipped * clipped));
    return direction;
  }

  /** The bound on the gradients of the test. */
  double bound() {
    return bound;
  }
}
