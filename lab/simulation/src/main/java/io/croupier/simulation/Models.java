package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.Accuracy;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Choice;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import io.croupier.simulation.SimulatedLog.Partition;
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
  private final boolean hasAnonymous;
  private final Set<String> respecced = new HashSet<>();
  private final Set<String> changed = new HashSet<>();

  Models(World world, boolean hasCentral, boolean hasAnonymous) {
    this.world = world;
    this.hasCentral = hasCentral;
    this.hasAnonymous = hasAnonymous;
  }

  void begin() {
    publish(
        common("sgd")
            .setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0))
            .addStatistics(statistic("yes", "no"))
            .build());
    publish(
        common("bets")
            .setBlackBox(BlackBox.getDefaultInstance())
            .setReportsPerRound(3)
            .setRoundTimeoutMs(30_000)
            .build());
    publish(
        common("sparse")
            .setDimension(Programs.DIMENSION)
            .clearLimits()
            .setCoordinateWise(CoordinateWise.getDefaultInstance())
            .setReportsPerRound(2)
            .setRoundTimeoutMs(30_000)
            .build());
    if (hasCentral) {
      publish(central());
    }
    if (hasAnonymous) {
      publish(
          common(Tokens.MODEL)
              .setBlackBox(BlackBox.getDefaultInstance())
              .setMaxStaleness(1)
              .addQuestions(
                  Question.newBuilder()
                      .setName(Tokens.QUESTION)
                      .setAccuracy(Accuracy.getDefaultInstance()))
              .setAnonymous(Tokens.terms())
              .build());
    }
  }

  private static Statistic statistic(String... categories) {
    return Statistic.newBuilder()
        .setName(Programs.STATISTIC)
        .setChoice(Choice.newBuilder().addAllCategories(List.of(categories)))
        .build();
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

  private static ModelSpec.Builder common(String modelId) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(2)
        .setGradientBound(1)
        .setLimits(Limits.newBuilder().setEpsilon(MOST_EPSILON));
  }

  private void publish(ModelSpec spec) {
    if (specs.containsKey(spec.getModelId())) {
      respecced.add(spec.getModelId());
    }
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

  boolean hasAnonymous() {
    return hasAnonymous;
  }

  static boolean isCentral(String modelId) {
    return modelId.startsWith("central");
  }

  /** Whether only programs report to a model. */
  static boolean isOfPrograms(String modelId) {
    return isCentral(modelId) || modelId.equals("sparse") || modelId.equals(Tokens.MODEL);
  }

  /** Whether a model has been the same since the beginning, but for settings that may change. */
  boolean isWhole(String modelId) {
    return specs.containsKey(modelId) && !changed.contains(modelId);
  }

  /** The models whose first spec is the only one. */
  List<ModelSpec> unchanged() {
    return specs.values().stream()
        .filter(spec -> isWhole(spec.getModelId()) && !respecced.contains(spec.getModelId()))
        .toList();
  }

  /** Changes a spec, or retires a model, or publishes one that was retired. */
  Optional<String> change(SplittableRandom random) {
    String modelId =
        World.pick(random, hasCentral ? List.of("sgd", "bets", "central") : List.of("sgd", "bets"));
    ModelSpec spec = specs.get(modelId);
    if (modelId.equals("central")) {
      double asked = random.nextInt(1, 5) / 4.0;
      publish(spec.toBuilder().setAnswerProbability(asked).build());
      return Optional.of("model central asks for answers with probability " + asked);
    }
    if (spec == null) {
      ModelSpec.Builder again = common(modelId);
      publish(again.setBlackBox(BlackBox.getDefaultInstance()).build());
      return Optional.of("model " + modelId + " is published again");
    }
    if (modelId.equals("sgd") && random.nextBoolean()) {
      return Optional.of(changeStatistic(spec, random));
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

  /** Removes the statistic, or publishes it with another meaning. */
  private String changeStatistic(ModelSpec spec, SplittableRandom random) {
    ModelSpec.Builder without = spec.toBuilder().clearStatistics();
    if (spec.getStatisticsCount() > 0) {
      publish(without.build());
      return "model sgd has no statistic any more";
    }
    boolean isOther = random.nextInt(4) > 0;
    Statistic next = isOther ? statistic("bike", "car", "none") : statistic("yes", "no");
    publish(without.addStatistics(next).build());
    return "model sgd has a statistic of " + next.getChoice().getCategoriesCount() + " categories";
  }
}
