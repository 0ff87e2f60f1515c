package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.BlackBox;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.simulation.SimulatedLog.Partition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The models of a world, and what their operator does with them. */
final class Models {
  private final World world;
  private final Map<String, ModelSpec> specs = new TreeMap<>();
  private final Set<String> changed = new HashSet<>();

  Models(World world) {
    this.world = world;
  }

  void begin() {
    publish(common("sgd").setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0)).build());
    publish(
        common("bets")
            .setBlackBox(BlackBox.getDefaultInstance())
            .setReportsPerRound(3)
            .setRoundTimeoutMs(30_000)
            .build());
  }

  private static ModelSpec.Builder common(String modelId) {
    return ModelSpec.newBuilder().setModelId(modelId).setDimension(2).setGradientBound(1);
  }

  private void publish(ModelSpec spec) {
    specs.put(spec.getModelId(), spec);
    append(spec.getModelId(), spec.toByteArray());
  }

  private void append(String modelId, byte[] value) {
    Partition partition = world.log().partition(World.TOPICS.models(), 0);
    long unused = world.log().append(partition, modelId.getBytes(UTF_8), value, world.nowMs());
  }

  boolean hasCentral() {
    return specs.keySet().stream().anyMatch(World::isCentral);
  }

  /** Whether a model has been the same since the beginning, but for settings that may change. */
  boolean isWhole(String modelId) {
    return specs.containsKey(modelId) && !changed.contains(modelId);
  }

  Map<String, ModelSpec> specs() {
    return specs;
  }

  /** Changes a spec, or retires a model, or publishes one that was retired. */
  Optional<String> change(SplittableRandom random) {
    List<String> ids = new ArrayList<>(List.of("sgd", "bets"));
    String modelId = World.pick(random, ids);
    ModelSpec spec = specs.get(modelId);
    if (spec == null) {
      ModelSpec.Builder again = common(modelId);
      publish(again.setBlackBox(BlackBox.getDefaultInstance()).build());
      return Optional.of("model " + modelId + " is published again");
    }
    if (random.nextInt(3) == 0) {
      specs.remove(modelId);
      changed.add(modelId);
      append(modelId, null);
      return Optional.of("model " + modelId + " is retired");
    }
    int reports = 1 + random.nextInt(4);
    publish(spec.toBuilder().setReportsPerRound(reports).setRoundTimeoutMs(30_000).build());
    return Optional.of("model " + modelId + " now takes " + reports + " reports a round");
  }
}
