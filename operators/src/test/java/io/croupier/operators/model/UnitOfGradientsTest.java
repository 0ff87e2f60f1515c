package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** States of releases whose adaptive radius took gradients as they are, not in units of G. */
class UnitOfGradientsTest {
  private static final int D = 3;
  private static final double G = 4;

  private static ModelSpec spec() {
    return ModelSpec.newBuilder()
        .setModelId("m")
        .setDimension(D)
        .setGradientBound(G)
        .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
        .build();
  }

  private static void report(LocalModel model, SplittableRandom random, int reports) {
    double[] values = new double[D];
    for (int j = 0; j < D; j++) {
      values[j] = reports * (random.nextGaussian() - j);
    }
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = model.publishedRound();
    sum.count = reports;
    sum.reportsPerRound = 1;
    sum.dimension = D;
    sum.values = PackedVectors.encode(values);
    model.add(sum);
  }

  private static void publish(LocalModel model) {
    model.publish(true, 0);
    model.confirm();
  }

  /** Rewrites a state as such a release stored it. */
  private static Map<String, byte[]> older(Map<String, byte[]> chunks, double noise) {
    Map<String, byte[]> older = new HashMap<>();
    chunks.forEach(
        (name, bytes) -> {
          if (!name.startsWith("trimmed-")) {
            older.put(name, bytes);
          }
        });
    LearnerState.Visitor reader = StateChunks.reader(chunks::get);
    LearnerState.Visitor writer = StateChunks.writer(older::put);
    for (String weight : List.of("", "-1", "-2")) {
      multiply(reader, writer, "coins" + weight, G);
      multiply(reader, writer, "squared-coins" + weight, G * G);
    }
    multiply(reader, writer, "mean-squared-norm", noise * G * G);
    double[] norms = new double[16];
    reader.vector("trimmed-squared-norms-by-size", norms);
    Vectors.scale(noise * G * G, norms, norms);
    writer.vector("squared-norms-by-size", norms);
    return older;
  }

  private static void multiply(
      LearnerState.Visitor reader, LearnerState.Visitor writer, String name, double factor) {
    for (String part : List.of(name, name + "-low")) {
      double stored = reader.scalar("trimmed-" + part, Double.NaN);
      assertThat(stored).as(part).isNotNaN();
      writer.scalar(part, factor * stored);
    }
  }

  /** G is a power of two, so that the two states continue to the last bit alike. */
  @Test
  void aStateInGradientsAsTheyAreContinuesLikeOneInUnitsOfTheBound() {
    SplittableRandom random = new SplittableRandom(1);
    LocalModel model = new LocalModel(spec(), 0);
    publish(model);
    for (int t = 0; t < 40; t++) {
      report(model, random, t < 20 ? 1 : 16);
      if (t % 10 == 5) {
        publish(model);
      }
    }
    publish(model);
    Map<String, byte[]> chunks = new HashMap<>();
    model.save(chunks::put);

    ModelUpdateView expected = continued(chunks);
    ModelUpdateView actual = continued(older(chunks, 1));

    assertThat(actual).isEqualTo(expected);
    assertThat(expected.getDiagnosticsOrThrow("radius")).isGreaterThan(0.01 / G);
  }

  /** The squared norm of strong noise that was not trimmed would make all later steps too short. */
  @Test
  void theMeanSquaredNormIsLimitedToThatOfTrimmedReports() {
    SplittableRandom random = new SplittableRandom(1);
    LocalModel model = new LocalModel(spec(), 0);
    publish(model);
    for (int t = 0; t < 40; t++) {
      report(model, random, 1);
    }
    publish(model);
    Map<String, byte[]> chunks = new HashMap<>();
    model.save(chunks::put);

    LocalModel restored = new LocalModel(spec(), 0);
    restored.restore(older(chunks, 1e4)::get);
    ModelUpdateView update = restored.publish(true, 0).orElseThrow();
    assertThat(update.getDiagnosticsOrThrow("mean-squared-norm")).isEqualTo(4);
  }

  @Test
  void theOlderPartsAreDeleted() {
    LocalModel model = new LocalModel(spec(), 0);
    assertThat(
            List.of("coins", "coins-1-low", "squared-coins", "mean-squared-norm", "agreement-sum"))
        .allMatch(model::isObsolete);
    assertThat(List.of("trimmed-coins", "trimmed-squared-coins-low", "radius", "direction"))
        .noneMatch(model::isObsolete);
  }

  private static ModelUpdateView continued(Map<String, byte[]> chunks) {
    LocalModel model = new LocalModel(spec(), 0);
    model.restore(chunks::get);
    SplittableRandom random = new SplittableRandom(2);
    for (int t = 0; t < 30; t++) {
      report(model, random, 1 + t % 5);
    }
    return model.publish(true, 0).orElseThrow();
  }
}
