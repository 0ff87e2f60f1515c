package io.croupier.cli.demo;

import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelUpdate;
import java.util.Collections;

/** Publications for tests. */
final class Snapshots {

  static final int GRID_EXPONENT = -18;
  static final double GRADIENT_BOUND = 0.25;

  private Snapshots() {}

  /** A model in which all coordinates of weights and average are {@code weight}. */
  static ModelSnapshot of(String modelId, int dimension, double weight, long used) {
    return ModelSnapshot.parse(
        ModelUpdate.newBuilder()
            .setModelId(modelId)
            .setRound(used)
            .addAllWeights(Collections.nCopies(dimension, weight))
            .addAllAverage(Collections.nCopies(dimension, weight))
            .setUsed(used)
            .setDroppedStale(2)
            .setDroppedUnpublished(3)
            .setOpen(4)
            .setGridExponent(GRID_EXPONENT)
            .setGradientBound(GRADIENT_BOUND)
            .build()
            .toByteArray());
  }
}
