package io.croupier.job;

import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Undisclosed;

/**
 * The one-hot trick: report i carries the i-th unit vector, and the learner is plain SGD with step
 * 1, so its weights are minus the sum of the rounds' means. With one report a round, a used
 * coordinate is -1 and any other 0; in a round of n reports a used coordinate is -1/n. A gradient
 * that was lost leaves 0, and one that was added twice leaves -2 or -2/n.
 */
final class OneHot {
  private static final int UNIT = 1 << 16;

  private OneHot() {}

  static ModelSpec spec(String modelId, int dimension, int reportsPerRound) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(dimension)
        .setGradientBound(1)
        .setReportsPerRound(reportsPerRound)
        .setMaxStaleness(1000)
        .setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0))
        .build();
  }

  static GradientReport report(ModelSpec spec, int i) {
    Grid.Builder grid = Grid.newBuilder();
    for (int j = 0; j < spec.getDimension(); j++) {
      grid.addValues(j == i ? UNIT : 0);
    }
    return GradientReport.newBuilder()
        .setModelId(spec.getModelId())
        .setRound(0)
        .setUserId("person-" + i)
        .setDeviceId("device")
        .setSequence(1)
        .setGrid(grid)
        .setUndisclosed(Undisclosed.getDefaultInstance())
        .build();
  }

  /**
   * Counts the gradients in an update, and fails if one was added twice.
   *
   * @param largestRound most reports that a round can hold
   */
  static int used(ModelUpdate update, int reportsPerRound, int largestRound) {
    int used = 0;
    for (int j = 0; j < update.getWeightsCount(); j++) {
      double weight = update.getWeights(j);
      if (weight != 0) {
        double reports = -1 / weight;
        if (!(reports > reportsPerRound - 0.5 && reports < largestRound + 0.5)) {
          throw new AssertionError(
              "Coordinate %d is %s: its gradient was not added exactly once".formatted(j, weight));
        }
        used++;
      }
    }
    return used;
  }
}
