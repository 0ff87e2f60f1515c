package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.Central;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.HashedResponse;
import io.croupier.schemas.Sparse;
import io.croupier.schemas.Vote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Programs that report for people, one for each person and model: raw gradients to a central model,
 * votes for a statistic, and sparse gradients. Some send a report again, and some try what no
 * gateway takes: a round that isn't published, or another dimension.
 */
final class Programs {
  /** The statistic of a local model. */
  static final String STATISTIC = "choice";

  /** Of the sparse model. */
  static final int DIMENSION = 64;

  private final World world;
  private final Map<String, List<byte[]>> sent = new HashMap<>();

  Programs(World world) {
    this.world = world;
  }

  /** A program reports for a person, or sends the last report again. */
  Optional<String> report(SplittableRandom random) {
    String modelId =
        World.pick(
            random,
            world.models().hasCentral()
                ? List.of("central", "sgd", "sparse")
                : List.of("sgd", "sparse"));
    long round = world.checks().round(modelId);
    if (round < 0) {
      return Optional.empty();
    }
    String userId = "user-" + random.nextInt(World.USERS);
    List<byte[]> before = sent.computeIfAbsent(modelId + userId, unused -> new ArrayList<>());
    boolean isRepeated = !before.isEmpty() && random.nextInt(5) == 0;
    if (!isRepeated) {
      GradientReport.Builder report =
          GradientReport.newBuilder()
              .setModelId(modelId)
              .setRound(random.nextInt(8) == 0 ? round + 1 : round)
              .setUserId(userId)
              .setDeviceId("program-" + modelId)
              .setSequence(before.size())
              .setCreatedAtMs(before.size());
      fill(report, random);
      before.add(report.build().toByteArray());
    }
    int number = before.size() - 1;
    byte[] value = before.get(number);
    String what = "report %d of a program to %s for %s".formatted(number, modelId, userId);
    if (random.nextInt(4) > 0) {
      world.followGateway();
    }
    if (!world.gateway().takes(value, userId)) {
      if (!isRepeated) {
        before.remove(number);
      }
      return Optional.of("the gateway refuses " + what);
    }
    boolean isRaw = Models.isCentral(modelId);
    String topic = isRaw ? World.TOPICS.rawGradients() : World.TOPICS.gradients();
    return Optional.of(what + " arrives at " + world.stored(topic, userId.getBytes(UTF_8), value));
  }

  private static void fill(GradientReport.Builder report, SplittableRandom random) {
    switch (report.getModelId()) {
      case "central" ->
          report
              .setDense(Dense.newBuilder().addValues(1).addValues(-1))
              .setCentral(Central.getDefaultInstance());
      case "sgd" ->
          report
              .setVote(Vote.newBuilder().setStatistic(STATISTIC).setIndex(random.nextInt(2)))
              .setHashedResponse(HashedResponse.newBuilder().setEpsilon(0.5).setGroups(2));
      default ->
          report
              .setSparse(
                  Sparse.newBuilder()
                      .setDimension(random.nextInt(8) == 0 ? 1 + DIMENSION : DIMENSION)
                      .addIndices(random.nextInt(DIMENSION))
                      .addValues(random.nextBoolean() ? 1 : -1))
              .setCoordinateLaplace(
                  CoordinateLaplace.newBuilder()
                      .addTaus(0.5)
                      .setClip(CoordinateLaplace.Clip.COORDINATES));
    }
  }
}
