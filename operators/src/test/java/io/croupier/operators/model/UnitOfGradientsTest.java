package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
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
  private static Map<String, byte[]> older(Map<String, byte[]> chunks) {
    Map<String, byte[]> older = new HashMap<>(chunks);
    LearnerState.Visitor reader = StateChunks.reader(chunks::get);
    LearnerState.Visitor writer = StateChunks.writer(older::put);
    assertThat(older.remove("unit")).isNotNull();
    for (String name : List.of("coins", "coins-1", "coins-2")) {
      multiply(reader, writer, name, G);
      multiply(reader, writer, "squared-" + name, G * G);
    }
    multiply(reader, writer, "mean-squared-norm", G * G);
    double[] norms = new double[16];
    reader.vector("squared-norms-by-size", norms);
    writer.vector("squared-norms-by-size", times(G * G, norms));
    double[] sum = new double[D];
    reader.vector("agreement-sum", sum);
    writer.vector("agreement-sum", times(G, sum));
    writer.scalar("agreement-trend", G * G * reader.scalar("agreement-trend", 0));
    writer.scalar("agreement-squares", G * G * G * G * reader.scalar("agreement-squares", 0));
    return older;
  }

  private static void multiply(
      LearnerState.Visitor reader, LearnerState.Visitor writer, String name, double factor) {
    for (String part : List.of(name, name + "-low")) {
      writer.scalar(part, factor * reader.scalar(part, 0));
    }
  }

  private static double[] times(double factor, double[] v) {
    double[] product = new double[v.length];
    for (int j = 0; j < v.length; j++) {
      product[j] = factor * v[j];
    }
    return product;
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
    Map<String, byte[]> chunks = new HashMap<>();
    model.save(chunks::put);

    ModelUpdateView expected = continued(chunks);
    ModelUpdateView actual = continued(older(chunks));

    assertThat(actual).isEqualTo(expected);
    assertThat(expected.getDiagnosticsOrThrow("radius")).isGreaterThan(0.01 / G);
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
