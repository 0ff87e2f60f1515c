package io.croupier.client;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.ModelUpdate;

/** Model updates as the job publishes them. */
public final class Updates {

  private Updates() {}

  public static ModelUpdate.Builder update(String modelId, long round, double... weights) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(modelId)
            .setRound(round)
            .setUsed(0)
            .setDroppedStale(0)
            .setDroppedUnpublished(0)
            .setOpen(0)
            .setGridExponent(-16)
            .setGradientBound(1)
            .setAnswerProbability(1)
            .setPublishedAtMs(1_000);
    for (double weight : weights) {
      update.addWeights(weight).addAverage(weight / 2);
    }
    return update;
  }

  /** A snapshot of an update with further fields, in the text format of Protobuf. */
  public static ModelSnapshot parse(ModelUpdate.Builder update, String fields) {
    try {
      TextFormat.merge(fields, update);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(fields, e);
    }
    return parse(update);
  }

  public static ModelSnapshot parse(ModelUpdate.Builder update) {
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  public static ModelSnapshot snapshot(String modelId, long round, double... weights) {
    return parse(update(modelId, round, weights));
  }
}
