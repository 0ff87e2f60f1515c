package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Left;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import io.croupier.schemas.Spend;
import io.croupier.schemas.WindowGuarantee;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Records of the topics that the page follows. */
final class Records {

  private Records() {}

  static ConsumerRecord<byte[], byte[]> of(String topic, String key, byte[] value) {
    return new ConsumerRecord<>(topic, 0, 0, key.getBytes(UTF_8), value);
  }

  static ConsumerRecord<byte[], byte[]> spec(String id) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setModelId(id).setDimension(3);
    if (id.startsWith("central")) {
      spec.setDpFtrl(DpFtrl.getDefaultInstance());
    } else if (id.startsWith("banco")) {
      spec.setBanco(Banco.getDefaultInstance());
    } else {
      spec.setBlackBox(BlackBox.getDefaultInstance());
    }
    return of("models", id, spec.build().toByteArray());
  }

  /** An update with three weights of 0.123456789 and an average of norm 5. */
  static ModelUpdate.Builder update(String id, long round, long used) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(id)
            .setRound(round)
            .setUsed(used)
            .setAnswers(used / 50)
            .setOpen(2)
            .setDroppedStale(used / 100)
            .setDroppedUnpublished(1)
            .setDroppedBound(3)
            .setPublishedAtMs(1_000_000)
            .setGradientBound(0.25)
            .setQuestionProbability(0.02);
    for (double average : new double[] {3, 0, -4}) {
      update.addWeights(0.123456789).addAverage(average);
    }
    if (id.startsWith("adaptive")) {
      update
          .setSize(AdaptiveClip.Size.FEATURES)
          .putDiagnostics("coin-bound", 0.04 + used / 1e4)
          .putDiagnostics("evidence", used / 40.0);
    }
    if (!id.startsWith("central")) {
      update
          .putDiagnostics("magnitude", Math.sqrt((double) used) / 30)
          .putDiagnostics("saturations", 0)
          .addEstimates(
              Estimate.newBuilder()
                  .setQuestion(Question.newBuilder().setName("accuracy"))
                  .setFraction(0.71)
                  .setStandardError(0.03)
                  .setLow(0.65)
                  .setHigh(0.77)
                  .setAnswers(220)
                  .setRecent(
                      Estimate.Recent.newBuilder()
                          .setFraction(1.02)
                          .setStandardError(0.1)
                          .setLow(0.75)
                          .setHigh(1)
                          .setAnswers(31))
                  .setAlways(
                      Estimate.Recent.newBuilder()
                          .setFraction(0.7)
                          .setStandardError(0.02)
                          .setLow(0.6)
                          .setHigh(0.8)
                          .setAnswers(900)))
          .addEstimates(
              Estimate.newBuilder()
                  .setQuestion(Question.newBuilder().setName("loss"))
                  .setFraction(0.4)
                  .setStandardError(0.2)
                  .setLow(0.1)
                  .setHigh(0.75)
                  .setAnswers(4));
    }
    return update;
  }

  static ConsumerRecord<byte[], byte[]> record(ModelUpdate.Builder update) {
    return of("updates", update.getModelId(), update.build().toByteArray());
  }

  static ConsumerRecord<byte[], byte[]> event(
      String user, String model, Outcome outcome, double epsilon, double left) {
    Spend spend = Spend.newBuilder().setReports(1).setEpsilon(epsilon).build();
    Left remaining = Left.newBuilder().setEpsilon(left).build();
    return of(
        "accounting",
        user,
        AccountingEvent.newBuilder()
            .setUserId(user)
            .setDeviceId("device-of-" + user)
            .setModelId(model)
            .setOutcome(outcome)
            .setReason("reason about " + user)
            .setSpent(spend)
            .setModelTotals(spend)
            .setUserTotals(spend)
            .setLeftModel(remaining)
            .setLeftUser(remaining)
            .build()
            .toByteArray());
  }

  static ConsumerRecord<byte[], byte[]> guarantee(String model) {
    return of(
        "guarantees",
        model,
        GuaranteeEvent.newBuilder()
            .setModelId(model)
            .setRound(32)
            .setMechanism("tree")
            .setNoiseMultiplier(2.94)
            .setDelta(1e-5)
            .setReplaceOne(Guarantee.newBuilder().setEpsilon(7.99).setMu(1.6))
            .setZeroOut(Guarantee.newBuilder().setEpsilon(3.5).setMu(0.8))
            .build()
            .toByteArray());
  }

  /** What a window of anonymous reports guarantees. */
  static ConsumerRecord<byte[], byte[]> window(String model, long number, double local) {
    return of(
        "guarantees",
        model,
        GuaranteeEvent.newBuilder()
            .setModelId(model)
            .setDelta(1e-6)
            .setAnonymous(
                WindowGuarantee.newBuilder()
                    .setWindow(number)
                    .setReports(1000)
                    .setLocalEpsilon(local)
                    .setEpsilon(local / 4))
            .build()
            .toByteArray());
  }

  static ConsumerRecord<byte[], byte[]> letter(String user, String reason) {
    ConsumerRecord<byte[], byte[]> letter =
        of("dead-letters", user, ("bytes of " + user).getBytes(UTF_8));
    letter.headers().add(DeadLetters.REASON, reason.getBytes(UTF_8));
    return letter;
  }
}
