package io.croupier.gateway.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.TokenKey;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Models with windows of ten rounds, and a topic of keys in memory. */
final class TestWindows implements AutoCloseable {
  private static final int PUBLICATIONS = 10;
  private static final int PATIENCE_SECONDS = 60;

  final Specs specs = new Specs();
  final Updates updates = new Updates();
  final TokenKeys keys = new TokenKeys();
  final TokenIssuers issuers;
  private final BlockingQueue<String> published = new LinkedBlockingQueue<>();
  private long offset;

  TestWindows() {
    this(() -> true);
  }

  TestWindows(BooleanSupplier caughtUp) {
    issuers =
        new TokenIssuers(
            new byte[32],
            specs,
            updates,
            keys,
            caughtUp,
            (name, key) -> {
              keys.apply(new ConsumerRecord<>("keys", 0, 0, name, key));
              published.add(new String(name, UTF_8));
              return CompletableFuture.completedFuture(null);
            });
  }

  private static ModelSpec spec(String modelId, double epsilon) {
    return ModelSpec.newBuilder()
        .setModelId(modelId)
        .setDimension(2)
        .setGradientBound(1)
        .setBlackBox(BlackBox.getDefaultInstance())
        .setMaxStaleness(PUBLICATIONS)
        .setAnonymous(
            Anonymous.newBuilder()
                .setPublications(PUBLICATIONS)
                .addLevels(
                    Anonymous.Level.newBuilder()
                        .setPrivUnit(Anonymous.GradientLevel.newBuilder().setEpsilon(epsilon))))
        .build();
  }

  /** The only level of a model with an epsilon. */
  static PrivUnitMechanism level(double epsilon) {
    return (PrivUnitMechanism) AnonymousWindows.levels(spec("m", epsilon)).get(0);
  }

  void publish(String modelId, double epsilon) {
    specs.apply(record(modelId, spec(modelId, epsilon).toByteArray()));
    assertThat(specs.judge(modelId)).isPresent();
  }

  void retire(String modelId) {
    specs.apply(record(modelId, null));
    assertThat(specs.judge(modelId)).isEmpty();
  }

  void update(String modelId, long round) {
    updates.apply(
        record(
            modelId,
            ModelUpdate.newBuilder()
                .setModelId(modelId)
                .setRound(round)
                .setGradientBound(1)
                .setGridExponent(-16)
                .addAllWeights(List.of(1.0, 2.0))
                .addAllAverage(List.of(1.0, 2.0))
                .build()
                .toByteArray()));
  }

  /** Another principal's record on the topic of keys. */
  void key(String modelId, long window, double epsilon, ByteString modulus) {
    keys.apply(
        new ConsumerRecord<>(
            "keys",
            0,
            0,
            WindowKeys.name(modelId, window, level(epsilon)).getBytes(UTF_8),
            TokenKey.newBuilder().setModulus(modulus).build().toByteArray()));
  }

  private ConsumerRecord<byte[], byte[]> record(String modelId, byte[] value) {
    return new ConsumerRecord<>("topic", 0, offset++, modelId.getBytes(UTF_8), value);
  }

  /** The name of the next key that the gateway publishes. */
  String next() throws InterruptedException {
    String name = published.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(name).as("a published key").isNotNull();
    return name;
  }

  @Override
  public void close() {
    issuers.close();
  }
}
