package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.List;
import java.util.stream.Stream;

/** Specs of three coordinates, and bundles of reports to their models. */
final class LocalModels {
  static final int D = 3;

  private LocalModels() {}

  /** Plain SGD with step size 1: weights are minus the sum of the rounds' means. */
  static ModelSpec.Builder sgd() {
    return spec().setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  static ModelSpec.Builder spec() {
    return ModelSpec.newBuilder().setModelId("m").setDimension(D).setGradientBound(1);
  }

  static RoundSum dense(long round, double... values) {
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = round;
    sum.count = 1;
    sum.dimension = values.length;
    sum.values = PackedVectors.encode(values);
    return sum;
  }

  /** Publishes, and confirms the publication immediately. */
  static ModelUpdateView publish(LocalModel model, long nowMs) {
    ModelUpdateView update = model.publish(true, nowMs).orElseThrow();
    model.confirm();
    return update;
  }

  static void add(LocalModel model, long round, int reports) {
    for (int i = 0; i < reports; i++) {
      RoundSum report = dense(round, 0.5, -0.5, 0.1);
      report.directionalVariance = 0.5;
      model.add(report);
    }
  }

  static Stream<ModelSpec> everyLearner() {
    List<ModelSpec.Builder> specs =
        List.of(
            sgd(),
            spec().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()),
            spec().setBlackBox(BlackBox.getDefaultInstance()),
            spec().setBlackBox(BlackBox.newBuilder().setRadius(1e-3)),
            spec().setCoordinateWise(CoordinateWise.getDefaultInstance()),
            spec().setCoordinateWise(CoordinateWise.newBuilder().setRadius(1e-3)),
            spec()
                .setBanco(
                    Banco.newBuilder()
                        .setStrongestNoise(
                            StrongestNoise.newBuilder()
                                .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1)))));
    return specs.stream().flatMap(s -> Stream.of(s.build(), s.setReportsPerRound(7).build()));
  }
}
