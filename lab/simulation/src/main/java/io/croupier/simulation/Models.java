package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.simulation.SimulatedLog.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The models of a world, and what their operator does with them. */
final class Models {
  /** What a person may spend on one model; reached in some runs. */
  static final double MOST_EPSILON = 6;

  private final World world;
  private final Map<String, ModelSpec> specs = new TreeMap<>();
  private final boolean hasCentral;
  private final Map<String, Integer> rawSequences = new HashMap<>();
  private final Map<String, Long> sentRounds = new HashMap<>();
  private final Set<String> changed = new HashSet<>();

  Models(World world, boolean hasCentral) {
    this.world = world;
    this.hasCentral = hasCentral;
  }

  void begin() {
    publish(common("sgd").setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0)).build());
    publish(
        common("bets")
            .setBlackBox(BlackBox.getDefaultInstance())
            .setReportsPerRound(3)
            .setRoundTimeoutMs(30_000)
            .build());
    if (hasCentral) {
      publish(central());
    }
  }

  private static ModelSpec central() {
    return common("central")
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(1)
                .setNoise(
                    PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()))
                .setLearningRate(1))
        .setReportsPerRound(2)
        .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(20).setMinSeparation(0))
        .build();
  }

  /** A server of the central model sends a raw gradient, or an earlier one again. */
  Optional<String> reportRaw(SplittableRandom random) {
    long round = world.checks().round("central");
    if (round < 0) {
      return Optional.empty();
    }
    String userId = "user-" + random.nextInt(World.USERS);
    int next = rawSequences.getOrDefault(userId, 0);
    int sequence = next > 0 && random.nextInt(5) == 0 ? next - 1 : next;
    if (sequence == next) {
      sentRounds.put(userId, round);
    }
    rawSequences.put(userId, Math.max(next, sequence + 1));
    GradientReport report =
        GradientReport.newBuilder()
            .setModelId("central")
            .setRound(sequence < next ? sentRounds.get(userId) : round)
            .setUserId(userId)
            .setDeviceId("server")
            .setSequence(sequence)
            .setCreatedAtMs(sequence)
            .setDense(Dense.newBuilder().addValues(1).addValues(-1))
            .setCentral(Central.getDefaultInstance())
            .build();
    Partition partition = world.log().partition(World.TOPICS.rawGradients(), 0);
    byte[] value = report.toByteArray();
    long offset = world.log().append(partition, userId.getBytes(UTF_8), value, world.nowMs());
    world.checks().arrived(partition, offset, value);
    return Optional.of("raw report " + sequence + " of " + userId + " arrives at " + offset);
  }

  private static ModelSpec.Builder common(String modelId) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(2)
        .setGradientBound(1)
        .setLimits(Limits.newBuilder().setEpsilon(MOST_EPSILON));
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
    return hasCentral;
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
