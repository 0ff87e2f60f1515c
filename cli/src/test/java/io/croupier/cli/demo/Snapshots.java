package io.croupier.cli.demo;

import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.util.Collections;

/** Publications for tests. */
final class Snapshots {

  static final int GRID_EXPONENT = -18;
  static final double GRADIENT_BOUND = 0.25;

  private Snapshots() {}

  /** A model in which all coordinates of weights and average are {@code weight}. */
  static ModelSnapshot of(String modelId, int dimension, double weight, long used) {
    return ModelSnapshot.parse(update(modelId, dimension, weight, used).build().toByteArray());
  }

  /** A model of zero weights that asks almost every device a question. */
  static ModelSnapshot asking(String modelId, int dimension, Question question) {
    ModelUpdate.Builder update = update(modelId, dimension, 0, 7).setQuestionProbability(1 - 1e-7);
    update.addEstimatesBuilder().setQuestion(question);
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  /** A model of zero weights that only searches for its clip. */
  static ModelSnapshot scouting(
      String modelId, int dimension, AdaptiveClip.Size size, double clip) {
    return scoutingAmong(modelId, dimension, size, clip, 1);
  }

  /** The same, of a share of all devices. */
  static ModelSnapshot scoutingAmong(
      String modelId, int dimension, AdaptiveClip.Size size, double clip, double share) {
    return moving(modelId, dimension, size, clip, 1, share);
  }

  /** A model of zero weights with a moving clip, which asks hardly any device for its size. */
  static ModelSnapshot moving(String modelId, int dimension, AdaptiveClip.Size size) {
    return moving(modelId, dimension, size, GRADIENT_BOUND, 1e-9, 1);
  }

  private static ModelSnapshot moving(
      String modelId,
      int dimension,
      AdaptiveClip.Size size,
      double clip,
      double questionProbability,
      double answerProbability) {
    ModelUpdate.Builder update =
        update(modelId, dimension, 0, 7)
            .setSize(size)
            .setGradientBound(clip)
            .setGridExponent(Math.getExponent(clip) - 16)
            .setDroppedBound(5)
            .setAnswerProbability(answerProbability)
            .setQuestionProbability(questionProbability);
    if (size == AdaptiveClip.Size.FEATURES) {
      update.setSlopeBound(0.5);
    }
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  private static ModelUpdate.Builder update(
      String modelId, int dimension, double weight, long used) {
    return ModelUpdate.newBuilder()
        .setModelId(modelId)
        .setRound(used)
        .addAllWeights(Collections.nCopies(dimension, weight))
        .addAllAverage(Collections.nCopies(dimension, weight))
        .setUsed(used)
        .setDroppedStale(2)
        .setDroppedUnpublished(3)
        .setOpen(4)
        .setGridExponent(GRID_EXPONENT)
        .setGradientBound(GRADIENT_BOUND);
  }
}
