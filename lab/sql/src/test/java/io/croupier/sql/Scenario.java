package io.croupier.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
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
import io.croupier.schemas.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What people report to a job. Every model has two coordinates. `visits` is a local model with a
 * limit of epsilon 10, `rides` a central one, and `retired` is retired.
 */
final class Scenario {
  private static final Topics TOPICS = Topics.withPrefix("croupier");
  private static final int STALENESS = 1000;
  private static final int EVENTS = 24;

  /** Reports to `visits` that are admitted. */
  static final int USED = 16;

  private Scenario() {}

  /** Publishes the models, reports, and waits until the job has published everything. */
  static void play(Records records) throws Exception {
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
    records.publish(visits.build());
    records.publish(local("retired").build());
    records.publish(central("rides"));
    for (String model : new String[] {"visits", "retired", "rides"}) {
      records.await(TOPICS.updates(), all -> all.stream().anyMatch(r -> isAbout(r, model)));
    }
    records.retire("retired");

    for (int i = 1; i <= 5; i++) {
      records.report(noised("ada", i, 1.9));
    }
    records.report(noised("ada", 6, 1));
    records.report(noised("bob", 1, 1));
    for (int i = 1; i <= 9; i++) {
      records.report(noised("carol", i, 0.5));
    }
    records.report(noised("eve", 1, 1));
    records.report(noised("eve", 1, 1));
    records.report(noised("eve", 2, 1).toBuilder().setModelId("invented").build());
    records.report(
        noised("eve", 3, 1).toBuilder()
            .setGrid(Grid.newBuilder().addValues(0).addValues(0).addValues(0))
            .build());
    // More than an account can contain.
    records.report(noised("gus", 1, 1e12));
    records.report(answer("fay"));
    records.report(raw("dora"));
    records.report(raw("emil"));

    records.await(TOPICS.accounting(), all -> all.size() >= EVENTS);
    records.await(TOPICS.guarantees(), all -> !all.isEmpty());
    records.await(
        TOPICS.updates(),
        all ->
            all.stream().anyMatch(r -> isAbout(r, "visits") && isComplete(update(r)))
                && all.stream().anyMatch(r -> isAbout(r, "rides") && update(r).getRound() == 1)
                && all.stream().anyMatch(r -> isAbout(r, "retired") && r.value() == null));
  }

  private static boolean isAbout(ConsumerRecord<byte[], byte[]> record, String model) {
    return new String(record.key(), UTF_8).equals(model);
  }

  private static boolean isComplete(ModelUpdate visits) {
    return visits.getUsed() == USED && visits.getStatistics(1).hasQuantiles();
  }

  private static ModelUpdate update(ConsumerRecord<byte[], byte[]> record) {
    try {
      return ModelUpdate.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("An update that can't be read", e);
    }
  }

  private static ModelSpec.Builder local(String modelId) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(2)
        .setGradientBound(1)
        .setMaxStaleness(STALENESS)
        .setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  private static ModelSpec central(String modelId) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(2)
        .setGradientBound(1)
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
