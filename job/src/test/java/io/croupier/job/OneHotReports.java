package io.croupier.job;

import io.croupier.operators.model.Publication;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Undisclosed;
import java.util.Map;
import java.util.TreeMap;

/**
 * The one-hot trick: report i carries the i-th unit vector, and the learner is plain SGD with step
 * 1, so its weights are minus the sum of the rounds' means. A round of m reports leaves -1/m in m
 * coordinates, and any other coordinate stays 0. A lost gradient leaves 0. A gradient that was
 * added twice leaves one coordinate too few in its round, or in both of its rounds.
 *
 * <p>Different unit vectors are orthogonal, so a publication's reports never agree beyond chance,
 * and none is moved into a last round before a publication.
 */
final class OneHotReports {
  private static final int UNIT = 1 << 16;

  /** Subtasks of a job with the settings of a {@link TestTopics}. */
  private static final int PARALLELISM = 2;

  private OneHotReports() {}

  static ModelSpec spec(String modelId, int dimension, int reportsPerRound) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(dimension)
        .setGradientBound(1)
        .setReportsPerRound(reportsPerRound)
        .setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0))
        .build();
  }

  /** Report i, evaluated at {@code round}. */
  static GradientReport report(ModelSpec spec, long round, int i) {
    Grid.Builder grid = Grid.newBuilder();
    for (int j = 0; j < spec.getDimension(); j++) {
      grid.addValues(j == i ? UNIT : 0);
    }
    return GradientReport.newBuilder()
        .setModelId(spec.getModelId())
        .setRound(round)
        .setUserId("person-" + i)
        .setDeviceId("device")
        .setSequence(1)
        .setGrid(grid)
        .setUndisclosed(Undisclosed.getDefaultInstance())
        .build();
  }

  /**
   * Waits until a model has used {@code reports} reports, and until the weights of its newest
   * update include all of its closed rounds: while a new round is delayed, updates count more
   * reports than their weights include. Fails immediately if the weights of any update can't result
   * from rounds of different reports, and at the end if a report was lost, dropped or added twice.
   */
  static ModelUpdate awaitAll(TestTopics testTopics, ModelSpec spec, int reports) throws Exception {
    return testTopics.awaitUpdate(
        spec.getModelId(),
        u ->
            gradients(u, spec.getReportsPerRound(), reports) == u.getUsed()
                && u.getUsed() + u.getOpen() == reports);
  }

  /** The number of gradients in the weights of an update. */
  private static int gradients(ModelUpdate update, int reportsPerRound, int reports) {
    int largest = largestRound(reportsPerRound, reports);
    Map<Long, Integer> coordinates = new TreeMap<>();
    for (int j = 0; j < update.getWeightsCount(); j++) {
      double weight = update.getWeights(j);
      if (weight != 0) {
        long size = Math.round(-1 / weight);
        if (size < reportsPerRound || size > largest || weight != -1.0 / size) {
          throw new AssertionError(
              "Coordinate %d is %s, not -1/m for a round of %d to %d reports: its gradient was not added exactly once"
                  .formatted(j, weight, reportsPerRound, largest));
        }
        coordinates.merge(size, 1, Integer::sum);
      }
    }
    long rounds = 0;
    int gradients = 0;
    for (Map.Entry<Long, Integer> ofSize : coordinates.entrySet()) {
      long size = ofSize.getKey();
      if (ofSize.getValue() % size != 0) {
        throw new AssertionError(
            "%d coordinates are -1/%d, which are not whole rounds of %d reports: a gradient was not added exactly once"
                .formatted(ofSize.getValue(), size, size));
      }
      rounds += ofSize.getValue() / size;
      gradients += ofSize.getValue();
    }
    if (rounds != update.getRound()) {
      throw new AssertionError(
          "The weights of round %d hold %d rounds".formatted(update.getRound(), rounds));
    }
    return gradients;
  }

  /**
   * Largest number of reports in a round if at most {@code reports} name one publication: the round
   * is nearly full when the largest bundle arrives.
   */
  private static int largestRound(int reportsPerRound, int reports) {
    int share = Math.toIntExact(Publication.share(reports));
    int bundle = Math.max(Math.max(1, reportsPerRound / (2 * PARALLELISM)), share);
    return Math.max(reportsPerRound, share) - 1 + bundle;
  }
}
