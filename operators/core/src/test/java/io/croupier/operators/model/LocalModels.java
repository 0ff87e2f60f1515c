package io.croupier.operators.model;

import io.croupier.operators.learner.StateChunks;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Combined;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Memory;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Specs of three coordinates, and bundles of reports to their models. */
final class LocalModels {
  static final int D = 3;
  private static final Memory AUTOMATIC =
      Memory.newBuilder().setAutomatic(Memory.Automatic.getDefaultInstance()).build();

  private LocalModels() {}

  /** Plain SGD with step size 1: weights are minus the sum of the rounds' means. */
  static ModelSpec.Builder sgd() {
    return spec().setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  static ModelSpec.Builder spec() {
    return ModelSpec.newBuilder().setModelId("m").setDimension(D).setGradientBound(1);
  }

  static RoundSum dense(long round, double... values) {
    return TestSums.dense(round, values);
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

  /** Saves a model, and removes what is not needed any more, as the operator does. */
  static void save(LiveModel model, Map<String, byte[]> store) {
    Set<String> saved = new HashSet<>();
    model.save(
        (name, bytes) -> {
          store.put(name, bytes);
          saved.add(name);
        });
    boolean replaces = model.replacesFormerState();
    store
        .keySet()
        .removeIf(
            name ->
                !saved.contains(name)
                    && (model.isObsolete(name) || (replaces && StateChunks.isSection(name))));
  }

  /** Returns a model that restores the state. */
  static LocalModel restored(ModelSpec spec, Map<String, byte[]> store) {
    LocalModel model = new LocalModel(spec, 0);
    model.restore(store::get);
    return model;
  }

  static Stream<ModelSpec> everyLearner() {
    List<ModelSpec.Builder> specs =
        List.of(
            sgd(),
            spec().setBlackBox(BlackBox.getDefaultInstance()),
            spec().setBlackBox(BlackBox.newBuilder().setRadius(1e-3)),
            spec().setCombined(Combined.getDefaultInstance()),
            spec().setCombined(Combined.getDefaultInstance()).setMemory(AUTOMATIC),
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
