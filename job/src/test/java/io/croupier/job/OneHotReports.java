package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
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
 */
final class OneHotReports {
  private static final int UNIT = 1 << 16;

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

  /** The same from another user, with noise of an epsilon. */
  static GradientReport report(
      ModelSpec spec, long round, int i, String user, long sequence, double epsilon) {
    return report(spec, round, i).toBuilder()
        .setUserId(user)
        .setSequence(sequence)
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon))
        .build();
  }

  /**
   * Waits until a model has taken {@code reports} reports and waits for more, if for anything.
   * Fails immediately if the weights of any update can't result from rounds of different reports,
   * and at the end if a report was lost, dropped or added twice.
   */
  static ModelUpdate awaitAll(TestTopics testTopics, ModelSpec spec, int reports) throws Exception {
    return testTopics.awaitUpdate(
        spec.getModelId(),
        u ->
            gradients(u, spec.getReportsPerRound()) == u.getUsed()
                && u.getUsed() + u.getOpen() == reports
                && JournalCheck.isQuiet(u));
  }

  /**
   * The same for reports that declare different noise, and so differ in weight: each has its own
   * coordinate, and those of a round add up to -1.
   */
  static ModelUpdate awaitAllOfMixedNoise(TestTopics testTopics, ModelSpec spec, int reports)
      throws Exception {
    ModelUpdate last =
        testTopics.awaitUpdate(
            spec.getModelId(),
            u -> u.getUsed() + u.getOpen() == reports && JournalCheck.isQuiet(u));
    assertThat(last.getWeightsList().stream().filter(weight -> weight != 0))
        .as("coordinates of used reports")
        .hasSize((int) last.getUsed())
        .allMatch(weight -> weight < 0);
    assertThat(last.getWeightsList().stream().mapToDouble(Double::doubleValue).sum())
        .as("sum over the rounds")
        .isCloseTo((double) -last.getRound(), within(1e-9));
    return last;
  }

  /** The number of gradients in the weights of an update. */
  private static int gradients(ModelUpdate update, int reportsPerRound) {
    Map<Long, Integer> coordinates = new TreeMap<>();
    for (int j = 0; j < update.getWeightsCount(); j++) {
      double weight = update.getWeights(j);
      if (weight != 0) {
        long size = Math.round(-1 / weight);
        if (size < reportsPerRound || weight != -1.0 / size) {
          throw new AssertionError(
              "Coordinate %d is %s, not -1/m for a round of at least %d reports: its gradient was not added exactly once"
                  .formatted(j, weight, reportsPerRound));
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
}
