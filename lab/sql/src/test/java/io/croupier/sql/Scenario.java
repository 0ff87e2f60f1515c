package io.croupier.sql;

import io.croupier.job.TestTopics;
import io.croupier.schemas.Answer;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.RandomisedResponse;
import java.util.List;

/**
 * What people report to a job. Every model has two coordinates. `visits` is a local model with a
 * limit of epsilon 10, `rides` a central one, and `retired` is retired.
 */
final class Scenario {
  private static final int STALENESS = 1000;
  private static final int EVENTS = 24;

  /** Reports to `visits` that are admitted. */
  static final int USED = 16;

  private Scenario() {}

  /** Publishes the models, reports, and waits until the job has published everything. */
  static void play(TestTopics testTopics) throws Exception {
    ModelSpec.Builder visits = local("visits").setLimits(Limits.newBuilder().setEpsilon(10));
    visits
        .addStatisticsBuilder()
        .setName("screen")
        .getChoiceBuilder()
        .addCategories("home")
        .addCategories("other");
    visits
        .addStatisticsBuilder()
        .setName("minutes")
        .getQuantilesBuilder()
        .addLevels(0.5)
        .addLevels(0.95)
        .setFrom(0)
        .setTo(1440);
    visits
        .addStatisticsBuilder()
        .setName("words")
        .getPrefixesBuilder()
        .setAlphabet("a-z")
        .setLength(12)
        .setTop(200);
    testTopics.publish(visits.build());
    testTopics.publish(local("retired").build());
    testTopics.publish(central("rides"));
    testTopics.flush();
    for (String model : List.of("visits", "retired", "rides")) {
      testTopics.awaitUpdate(model, update -> true);
    }
    testTopics.retire("retired");

    for (int i = 1; i <= 5; i++) {
      testTopics.send(noised("ada", i, 1.9));
    }
    testTopics.send(noised("ada", 6, 1));
    testTopics.send(noised("bob", 1, 1));
    for (int i = 1; i <= 9; i++) {
      testTopics.send(noised("carol", i, 0.5));
    }
    testTopics.send(noised("eve", 1, 1));
    testTopics.send(noised("eve", 1, 1));
    testTopics.send(noised("eve", 2, 1).toBuilder().setModelId("invented").build());
    testTopics.send(
        noised("eve", 3, 1).toBuilder()
            .setGrid(Grid.newBuilder().addValues(0).addValues(0).addValues(0))
            .build());
    // More than an account can contain.
    testTopics.send(noised("gus", 1, 1e12));
    testTopics.send(answer("fay"));
    testTopics.send(raw("dora"));
    testTopics.send(raw("emil"));

    testTopics.flush();
    testTopics.awaitRecords(testTopics.topics.accounting(), EVENTS);
    testTopics.awaitRecords(testTopics.topics.guarantees(), 1);
    testTopics.awaitUpdate("visits", Scenario::isComplete);
    testTopics.awaitUpdate("rides", update -> update.getRound() == 1);
    testTopics.awaitRetired("retired");
  }

  private static boolean isComplete(ModelUpdate visits) {
    return visits.getUsed() == USED && visits.getStatistics(1).hasQuantiles();
  }

  private static ModelSpec.Builder spec(String modelId) {
    return ModelSpec.newBuilder().setModelId(modelId).setDimension(2).setGradientBound(1);
  }

  private static ModelSpec.Builder local(String modelId) {
    return spec(modelId)
        .setMaxStaleness(STALENESS)
        .setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  private static ModelSpec central(String modelId) {
    return spec(modelId)
        .setReportsPerRound(2)
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(4)
                .setNoise(
                    PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()))
                .setLearningRate(0.1))
        .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(2).setMinSeparation(0))
        .build();
  }

  /** A report to `visits`. */
  private static GradientReport noised(String user, int sequence, double epsilon) {
    return report(user)
        .setModelId("visits")
        .setSequence(sequence)
        .setGrid(Grid.newBuilder().addValues(1 << 14).addValues(-(1 << 15)))
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon))
        .build();
  }

  /** An answer about the threshold of the first publication of `visits`. */
  private static GradientReport answer(String user) {
    return report(user)
        .setModelId("visits")
        .setSequence(1)
        .setAnswer(Answer.newBuilder().setQuestion("minutes").setBit(true))
        .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(1))
        .build();
  }

  /** A report to `rides`. */
  private static GradientReport raw(String user) {
    return report(user)
        .setModelId("rides")
        .setSequence(1)
        .setDense(Dense.newBuilder().addValues(0.5).addValues(0))
        .setCentral(Central.getDefaultInstance())
        .build();
  }

  private static GradientReport.Builder report(String user) {
    return GradientReport.newBuilder().setUserId(user).setDeviceId("device").setRound(0);
  }
}
