package io.croupier.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A recording of topics on which the journal's last transaction is not complete. */
@Tag("ci")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RecorderITCase {

  private static final ModelUpdate.Builder UPDATE =
      ModelUpdate.newBuilder()
          .setModelId("taps")
          .setRound(1)
          .setUsed(1)
          .setDroppedStale(1)
          .setDroppedUnpublished(1)
          .setOpen(1);
  private static final List<ModelSpec> SPECS =
      List.of(
          ModelSpec.newBuilder().setModelId("taps").setDimension(1).build(),
          ModelSpec.newBuilder().setModelId("idle").setDimension(1).build());

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void waitsForTheJournalToMatchTheUpdates() throws Exception {
    Topics topics = topics("late");
    Path recording = directory.resolve("late");
    publish(topics);
    ExecutorService background = Executors.newSingleThreadExecutor();
    try (KafkaProducer<byte[], byte[]> journal = journal(topics)) {
      Future<?> recorded =
          background.submit(
              () -> {
                Recorder.into(recording).record(kafka(), topics, SPECS);
                return null;
              });
      awaitContent(recording.resolve("updates.jsonl"), recorded);
      journal.commitTransaction();
      recorded.get();
    } finally {
      background.shutdownNow();
    }

    assertThat(Files.readAllLines(recording.resolve("journal.jsonl"))).hasSize(2);
    assertThat(Files.readAllLines(recording.resolve("updates.jsonl"))).hasSize(3);
    assertThat(recording.resolve("models.yaml")).isNotEmptyFile();
  }

  @Test
  void failsIfTheJournalStaysIncomplete() throws Exception {
    Topics topics = topics("never");
    Path recording = directory.resolve("never");
    publish(topics);
    try (KafkaProducer<byte[], byte[]> journal = journal(topics)) {
      Recorder recorder = Recorder.into(recording);

      assertThatIllegalStateException()
          .isThrownBy(() -> recorder.record(kafka(), topics, SPECS, Duration.ZERO))
          .withMessage(
              "The recording in %s is incomplete and has no models.yaml: after 0.0 s, the journal"
                  + " of 'taps' has 0 reports, but its last update counts 4",
              recording);
      journal.abortTransaction();
    }

    assertThat(recording.resolve("models.yaml")).doesNotExist();
  }

  /** Two updates of one model, and one of a model without reports. */
  private static void publish(Topics topics) throws Exception {
    try (KafkaProducer<byte[], byte[]> updates = producer(Map.of())) {
      for (ModelUpdate.Builder update :
          List.of(
              ModelUpdate.newBuilder().setModelId("taps"),
              ModelUpdate.newBuilder().setModelId("idle"),
              UPDATE)) {
        byte[] key = update.getModelId().getBytes(UTF_8);
        updates
            .send(new ProducerRecord<>(topics.updates(), key, update.build().toByteArray()))
            .get();
      }
    }
  }

  /** A producer that has written the whole journal, but not committed it. */
  private static KafkaProducer<byte[], byte[]> journal(Topics topics) throws Exception {
    KafkaProducer<byte[], byte[]> producer = producer(Map.of("transactional.id", topics.journal()));
    producer.initTransactions();
    producer.beginTransaction();
    for (int reports : new int[] {1, 3}) {
      JournalEntry.Bundle.Builder bundle = JournalEntry.Bundle.newBuilder().setNamedRound(0);
      for (int i = 0; i < reports; i++) {
        bundle.addPositions(Position.newBuilder().setTopic(topics.gradients()).setOffset(i));
      }
      byte[] entry =
          JournalEntry.newBuilder().setModelId("taps").addBundles(bundle).build().toByteArray();
      producer.send(new ProducerRecord<>(topics.journal(), "taps".getBytes(UTF_8), entry)).get();
    }
    return producer;
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(kafka());
    properties.putAll(more);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static Topics topics(String prefix) throws Exception {
    Topics topics = Topics.withPrefix(prefix);
    try (Admin admin = Admin.create(kafka())) {
      KafkaTopics.create(admin, topics, 2, (short) 1);
    }
    return topics;
  }

  private static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  private static void awaitContent(Path file, Future<?> writer) throws IOException {
    while (!writer.isDone() && (Files.notExists(file) || Files.size(file) == 0)) {
      Thread.onSpinWait();
    }
  }
}
