package io.croupier.operators.model;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Specs of three coordinates, and bundles of reports to their models. */
public final class LocalModels {
  static final int D = 3;

  private LocalModels() {}

  /** Plain SGD with step size 1: weights are minus the sum of the rounds' means. */
  static ModelSpec.Builder sgd() {
    return spec("ldp_sgd { step_size: 1 decay: 0 }").toBuilder();
  }

  static ModelSpec spec(String fields) {
    return Specs.of(D, 1, fields);
  }

  static RoundSum dense(long round, double... values) {
    return TestSums.dense(round, values);
  }

  /** Publishes, and returns what readers parse. */
  static ModelUpdate published(LiveModel model) {
    return published(model, true);
  }

  static ModelUpdate published(LiveModel model, boolean mayOpenRound) {
    try {
      return ModelUpdate.parseFrom(model.publish(mayOpenRound, 0).orElseThrow().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a model that continues from the state of another. */
  static LiveModel restarted(LiveModel model) {
    return restarted(model, new HashMap<>());
  }

  /** Saves a model to a store that may have an earlier state, and returns one that restores it. */
  static LiveModel restarted(LiveModel model, Map<String, byte[]> store) {
    save(model, store);
    LiveModel restored = LiveModel.begin(model.spec(), 0);
    restored.restore(store::get);
    return restored;
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

  /** Returns the weights of an update. */
  public static double[] weights(ModelUpdateView update) {
    return doubles(update.getWeights(0));
  }

  /** Returns the average of an update. */
  public static double[] average(ModelUpdateView update) {
    return doubles(update.getAverage(0));
  }

  private static double[] doubles(ByteString values) {
    byte[] bytes = values.toByteArray();
    double[] doubles = new double[bytes.length / Double.BYTES];
    Arrays.setAll(doubles, i -> PackedVectors.doubleAt(bytes, i));
    return doubles;
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
    return Stream.of(
            "ldp_sgd { step_size: 1 decay: 0 }",
            "black_box {}",
            "black_box { radius: 1e-3 }",
            "combined {}",
            "combined {} memory { automatic {} }",
            "coordinate_wise {}",
            "coordinate_wise { radius: 1e-3 }",
            "banco { strongest_noise { l2_laplace { epsilon: 1 } } }")
        .flatMap(learner -> Stream.of(spec(learner), spec(learner + " reports_per_round: 7")));
  }
}
