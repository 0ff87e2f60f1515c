package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Left;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Spend;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Records of the topics that the page follows. */
final class Records {

  private static final ModelUpdate ESTIMATES =
      parsed(
          """
          estimates {
            question { name: 'accuracy' }
            fraction: 0.71 standard_error: 0.03 low: 0.65 high: 0.77 answers: 220
            recent { fraction: 1.02 standard_error: 0.1 low: 0.75 high: 1 answers: 31 }
            always { fraction: 0.7 standard_error: 0.02 low: 0.6 high: 0.8 answers: 900 }
          }
          estimates {
            question { name: 'loss' }
            fraction: 0.4 standard_error: 0.2 low: 0.1 high: 0.75 answers: 4
          }
          """,
          ModelUpdate.class);

  private Records() {}

  private static <T extends Message> T parsed(String text, Class<T> type) {
    try {
      return TextFormat.parse(text, type);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(text, e);
    }
  }

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
        parsed(
                """
                weights: [0.123456789, 0.123456789, 0.123456789] average: [3, 0, -4]
                open: 2 dropped_unpublished: 1 dropped_bound: 3 published_at_ms: 1000000
                gradient_bound: 0.25 question_probability: 0.02
                """,
                ModelUpdate.class)
            .toBuilder()
            .setModelId(id)
            .setRound(round)
            .setUsed(used)
            .setAnswers(used / 50)
            .setDroppedStale(used / 100);
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
          .mergeFrom(ESTIMATES);
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
    return guarantee(
        model,
        """
        round: 32 mechanism: 'tree' noise_multiplier: 2.94 delta: 1e-5
        replace_one { epsilon: 7.99 mu: 1.6 } zero_out { epsilon: 3.5 mu: 0.8 }
        """);
  }

  private static ConsumerRecord<byte[], byte[]> guarantee(String model, String fields) {
    GuaranteeEvent event =
        parsed("model_id: '%s' %s".formatted(model, fields), GuaranteeEvent.class);
    return of("guarantees", model, event.toByteArray());
  }

  /** What a window of anonymous reports guarantees. */
  static ConsumerRecord<byte[], byte[]> window(String model, long number, double local) {
    return guarantee(
        model,
        "delta: 1e-6 anonymous { window: %d reports: 1000 local_epsilon: %s epsilon: %s }"
            .formatted(number, local, local / 4));
  }

  static ConsumerRecord<byte[], byte[]> letter(String user, String reason) {
    ConsumerRecord<byte[], byte[]> letter =
        of("dead-letters", user, ("bytes of " + user).getBytes(UTF_8));
    letter.headers().add(DeadLetters.REASON, reason.getBytes(UTF_8));
    return letter;
  }
}
