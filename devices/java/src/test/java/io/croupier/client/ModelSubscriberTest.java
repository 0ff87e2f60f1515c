package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.NetworkException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(600)
class ModelSubscriberTest {
  private static final String TOPIC = "updates";
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Updates are published at 1,000 ms. */
  private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(8_500), ZoneOffset.UTC);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final BlockingQueue<ModelSnapshot> seen = new LinkedBlockingQueue<>();
  private long offset;
  private ModelSubscriber subscriber;

  private void topic(long end) {
    consumer.updateBeginningOffsets(Map.of(new TopicPartition(TOPIC, 0), 0L));
    consumer.updateEndOffsets(Map.of(new TopicPartition(TOPIC, 0), end));
    consumer.updatePartitions(TOPIC, List.of(partition(0)));
  }

  private static PartitionInfo partition(int number) {
    return new PartitionInfo(TOPIC, number, Node.noNode(), new Node[0], new Node[0]);
  }

  private void subscribe() {
    subscriber = new ModelSubscriber(consumer, TOPIC, " of broker:9092", seen::add, CLOCK);
  }

  /** Runs on the subscriber's thread, when the partition is assigned. */
  private void publish(String modelId, byte[] update) {
    consumer.schedulePollTask(() -> add(0, modelId, update));
  }

  private void publish(String modelId, long round) {
    publish(modelId, Updates.update(modelId, round, 1, 2).build().toByteArray());
  }

  private void add(int partition, String modelId, byte[] update) {
    byte[] key = modelId.getBytes(StandardCharsets.UTF_8);
    consumer.addRecord(new ConsumerRecord<>(TOPIC, partition, offset++, key, update));
  }

  private ModelSnapshot nextSeen() throws InterruptedException {
    return seen.poll(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @AfterEach
  void close() {
    if (subscriber != null) {
      subscriber.close();
    }
  }

  @Test
  void keepsTheNewestOfEveryModel() throws Exception {
    topic(3);
    publish("a", 1);
    publish("b", 5);
    publish("a", 2);
    subscribe();
    // No update is visible until all updates at the start have been read.
    assertThat(subscriber.await("a", LONG).round()).isEqualTo(2);
    assertThat(subscriber.newest("b").orElseThrow().round()).isEqualTo(5);
    assertThat(subscriber.newest("c")).isEmpty();
    assertThat(seen).extracting(ModelSnapshot::round).containsExactly(1L, 5L, 2L);
  }

  @Test
  void followsWhatComesLater() throws Exception {
    topic(0);
    subscribe();
    publish("a", 1);
    assertThat(subscriber.await("a", LONG).round()).isEqualTo(1);
    publish("a", 2);
    publish("b", 0);
    subscriber.await("b", LONG);
    assertThat(subscriber.newest("a").orElseThrow().round()).isEqualTo(2);
  }

  @Test
  void returnsTheStalenessOfASnapshot() throws Exception {
    topic(2);
    publish("a", 0);
    publish("a", 40);
    subscribe();
    ModelSnapshot snapshot = subscriber.await("a", LONG);
    Duration age = Duration.ofMillis(7_500);
    assertThat(subscriber.staleness(snapshot)).contains(new Staleness(0, age));
    publish("a", 40);
    publish("a", 75);
    publish("a", 76);
    publish("b", 80);
    subscriber.await("b", LONG);
    assertThat(subscriber.staleness(snapshot)).contains(new Staleness(2, age));
    assertThat(subscriber.staleness(Updates.snapshot("a", 3, 1))).contains(new Staleness(3, age));
    assertThat(subscriber.staleness(Updates.snapshot("c", 3, 1))).isEmpty();
    assertThat(subscriber.published("a", 75).orElseThrow().round()).isEqualTo(75);
    assertThat(subscriber.published("a", 74)).isEmpty();
    assertThat(subscriber.published("c", 75)).isEmpty();
    ModelSnapshot fromTheFuture =
        Updates.parse(Updates.update("a", 80, 1).setPublishedAtMs(99_000));
    assertThat(subscriber.staleness(fromTheFuture)).contains(new Staleness(0, Duration.ZERO));
    publish("a", (byte[]) null);
    publish("d", 0);
    subscriber.await("d", LONG);
    assertThat(subscriber.staleness(snapshot)).isEmpty();
  }

  @Test
  void countsPublicationsUpToTheLargestStaleness() {
    Publications publications = new Publications();
    for (long round = 0; round < 3000; round += 2) {
      publications.add(Updates.snapshot("a", round, 1));
    }
    assertThat(publications.newerThan(Updates.snapshot("a", 2990, 1))).isEqualTo(4);
    assertThat(publications.newerThan(Updates.snapshot("a", 1, 1))).isEqualTo(1001);
    assertThat(publications.terms(998)).isPresent();
    assertThat(publications.terms(996)).isEmpty();
  }

  @Test
  void showsNoModelBeforeItHasCaughtUp() throws Exception {
    topic(2);
    publish("a", 1);
    subscribe();
    assertThat(nextSeen().round()).isEqualTo(1);
    assertThat(subscriber.isCaughtUp()).isFalse();
    assertThat(subscriber.newest("a")).isEmpty();
    assertThat(subscriber.staleness(Updates.snapshot("a", 0, 1))).isEmpty();
    publish("b", 1);
    subscriber.await("b", LONG);
    assertThat(subscriber.isCaughtUp()).isTrue();
  }

  @Test
  void removesARetiredModel() throws Exception {
    topic(3);
    publish("a", 1);
    publish("a", (byte[]) null);
    publish("b", 1);
    subscribe();
    subscriber.await("b", LONG);
    assertThat(subscriber.newest("a")).isEmpty();
  }

  @Test
  void waitsForAMissingTopic() throws Exception {
    consumer.updatePartitions(TOPIC, List.of());
    publish("a", 1);
    subscribe();
    topic(0);
    assertThat(subscriber.await("a", LONG).round()).isEqualTo(1);
  }

  @Test
  void takesPartitionsThatAreAddedLater() throws Exception {
    topic(0);
    subscribe();
    publish("a", 1);
    subscriber.await("a", LONG);
    TopicPartition added = new TopicPartition(TOPIC, 1);
    consumer.updateBeginningOffsets(Map.of(added, 0L));
    consumer.updatePartitions(TOPIC, List.of(partition(0), partition(1)));
    offset = 0;
    consumer.schedulePollTask(() -> {});
    consumer.schedulePollTask(() -> {});
    consumer.schedulePollTask(() -> add(1, "b", Updates.update("b", 4, 1).build().toByteArray()));
    assertThat(subscriber.await("b", LONG).round()).isEqualTo(4);
  }

  @Test
  void continuesAfterARetriableError() throws Exception {
    topic(0);
    consumer.schedulePollTask(() -> consumer.setPollException(new NetworkException("flaky")));
    publish("a", 1);
    subscribe();
    assertThat(subscriber.await("a", LONG).round()).isEqualTo(1);
  }

  @Test
  void waitEndsAtItsTimeout() {
    topic(0);
    subscribe();
    assertThatThrownBy(() -> subscriber.await("a", Duration.ofMillis(1)))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining(
            "no update of model a on topic updates of broker:9092 within 0.001 s");
  }

  @Test
  void aModelOfNoSuchNameIsSaid() throws Exception {
    topic(1);
    publish("b", 7);
    subscribe();
    ModelSnapshot b = subscriber.await("b", LONG);
    assertThatThrownBy(() -> subscriber.await("a", Duration.ofMillis(1)))
        .hasMessageEndingWith("; published there: b");
    assertThatThrownBy(() -> subscriber.awaitAfter(b, Duration.ofMillis(1)))
        .hasMessageEndingWith("; its newest round is 7");
    publish("b", 8);
    assertThat(subscriber.awaitAfter(b, LONG).round()).isEqualTo(8);
  }

  /** A device that wasn't asked must learn that the round asks more devices. */
  @Test
  void aRoundThatAsksMoreDevicesIsAnother() throws Exception {
    topic(1);
    publish("a", Updates.update("a", 7, 1).setAnswerProbability(0.25).build().toByteArray());
    subscribe();
    ModelSnapshot few = subscriber.await("a", LONG);
    publish("a", Updates.update("a", 7, 1).setAnswerProbability(0.5).build().toByteArray());
    assertThat(subscriber.awaitAfter(few, LONG).answerProbability()).isEqualTo(0.5);
  }

  /** A subscriber asks this address, where no server listens. */
  @Execution(ExecutionMode.CONCURRENT)
  @Test
  void aBrokerThatDoesntAnswerIsSaid() {
    try (ModelSubscriber nowhere =
        new ModelSubscriber(Map.of("bootstrap.servers", "127.0.0.1:1"), TOPIC)) {
      assertThatThrownBy(() -> nowhere.await("a", Duration.ofMillis(1500)))
          .hasMessage(
              "no update of model a on topic updates of 127.0.0.1:1 within 1.5 s; no broker has"
                  + " answered, or the topic doesn't exist");
    }
  }

  @Test
  void aFailureOfKafkaSurfaces() {
    topic(0);
    AuthorizationException refusal = new AuthorizationException("not yours");
    consumer.schedulePollTask(() -> consumer.setPollException(refusal));
    subscribe();
    assertThatIllegalStateException()
        .isThrownBy(() -> subscriber.await("a", LONG))
        .withMessage("following topic updates of broker:9092 failed: not yours")
        .withCause(refusal);
    assertThatIllegalStateException().isThrownBy(() -> subscriber.newest("a"));
  }

  /** One record of another program must not end the updates of all models. */
  @Test
  void aRecordThatIsNoUpdateIsSkipped() throws Exception {
    topic(0);
    publish("a", 1);
    publish("a", new byte[] {-1, -1});
    publish("a", new byte[0]);
    publish("a", Updates.update("a", 2, 1, 2).clearGradientBound().build().toByteArray());
    consumer.schedulePollTask(
        () -> {
          for (byte[] value : new byte[][] {null, {-1, -1}}) {
            consumer.addRecord(new ConsumerRecord<>(TOPIC, 0, offset++, null, value));
          }
        });
    publish("b", 5);
    subscribe();
    assertThat(subscriber.await("b", LONG).round()).isEqualTo(5);
    assertThat(subscriber.newest("a").orElseThrow().round()).isEqualTo(1);
    assertThat(nextSeen().round()).isEqualTo(1);
    assertThat(nextSeen().round()).isEqualTo(5);
  }

  /** No bytes make the reading of an update throw anything but the exception that it documents. */
  @Test
  void anyBytesAreAnUpdateOrNone() {
    byte[] valid = Updates.update("a", 1, 1, 2).build().toByteArray();
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(valid, 1 + random.nextInt(valid.length + 4));
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(ModelSnapshot.parse(bytes).round()).isNotNegative();
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
  }

  @Test
  void aListenerThatThrowsSurfaces() {
    topic(1);
    publish("a", 1);
    // The class is retriable, but the listener threw it: it must count as a failure.
    NetworkException own = new NetworkException("the listener's own");
    subscriber =
        new ModelSubscriber(
            consumer,
            TOPIC,
            "",
            snapshot -> {
              throw own;
            },
            CLOCK);
    assertThatIllegalStateException().isThrownBy(() -> subscriber.await("a", LONG)).withCause(own);
  }

  @Test
  void closesItsConsumerAndThenRefuses() throws Exception {
    topic(0);
    subscribe();
    publish("a", 1);
    assertThat(nextSeen().modelId()).isEqualTo("a");
    subscriber.close();
    assertThat(consumer.closed()).isTrue();
    assertThatIllegalStateException()
        .isThrownBy(() -> subscriber.newest("a"))
        .withMessage("the subscriber of topic updates is closed");
    subscriber.close();
  }

  @Test
  void aListenerMayClose() throws Exception {
    topic(0);
    publish("a", 1);
    BlockingQueue<ModelSubscriber> self = new LinkedBlockingQueue<>();
    subscriber =
        new ModelSubscriber(
            consumer,
            TOPIC,
            "",
            snapshot -> {
              try {
                self.take().close();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              seen.add(snapshot);
            },
            CLOCK);
    self.add(subscriber);
    assertThat(nextSeen().modelId()).isEqualTo("a");
  }
}
