package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.job.restart.JobInputs;
import io.croupier.job.restart.KafkaVisibleOutputs;
import io.croupier.job.restart.OutputEnds;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Croupier's topics on a real broker, with methods to write and read them. Unless stated otherwise,
 * readers are read_committed; every wait is for a condition.
 */
public final class TestTopics implements AutoCloseable {
  /**
   * A new topic may refuse a producer's first request and accept its second one. A retry of the
   * first would then be out of sequence, so only one request is sent at a time.
   */
  static final int IN_FLIGHT = 1;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  public final Topics topics;
  private final EmbeddedBroker broker;
  private final String prefix;
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<Future<RecordMetadata>> sends = new ArrayList<>();

  /** Creates topics with this prefix, which no other test uses. */
  public TestTopics(EmbeddedBroker broker, String prefix) throws Exception {
    this.broker = broker;
    this.prefix = prefix;
    topics = Topics.withPrefix(prefix);
    try (Admin admin = admin()) {
      KafkaTopics.create(admin, topics, 2, (short) 1);
    }
    Map<String, Object> properties = new HashMap<>(kafka());
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 2 << 20);
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, IN_FLIGHT);
    producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  public Map<String, String> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  public Admin admin() {
    return Admin.create(Map.<String, Object>copyOf(kafka()));
  }

  /** What a job sees of its outputs; the names of its transactions begin with this prefix. */
  public KafkaVisibleOutputs outputs(String transactions) {
    return new KafkaVisibleOutputs(
        kafka(),
        topics,
        OutputEnds.NONE,
        KafkaIo.outputs(JobConfig.of(defaults())),
        Set.of(transactions),
        inputs());
  }

  /** Deletes the records of a partition before an offset; all of them, if it is -1. */
  public void deleteRecords(String topic, int partition, long before) throws Exception {
    try (Admin admin = admin()) {
      admin
          .deleteRecords(
              Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(before)))
          .all()
          .get();
    }
  }

  /** What a job with default settings reads. */
  public JobInputs inputs() {
    return KafkaIo.inputs(JobConfig.of(defaults()));
  }

  /** Settings of a job on these topics: two subtasks, a checkpoint every 200 ms. */
  public Map<String, String> defaults() {
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", broker.bootstrapServers());
    settings.put("topics.prefix", prefix);
    settings.put("parallelism", "2");
    settings.put("checkpoint.interval", "200 ms");
    settings.put("flink.restart-strategy.type", "fixed-delay");
    settings.put("flink.restart-strategy.fixed-delay.attempts", "20");
    settings.put("flink.restart-strategy.fixed-delay.delay", "100 ms");
    return settings;
  }

  /** The same for a script in which no report names the last round; the job waits 3 s for one. */
  public Map<String, String> settings() {
    Map<String, String> settings = defaults();
    settings.put("publication.hold", "3 s");
    return settings;
  }

  public void publish(ModelSpec spec) {
    send(topics.models(), spec.getModelId(), spec.toByteArray());
  }

  public void retire(String modelId) {
    send(topics.models(), modelId, null);
  }

  /** Sends a report to the topic of its kind. */
  public void send(GradientReport report) {
    String topic = report.hasCentral() ? topics.rawGradients() : topics.gradients();
    send(topic, report.getUserId(), report.toByteArray());
  }

  public void send(String topic, String key, byte[] value) {
    send(topic, key.getBytes(UTF_8), value);
  }

  public void send(String topic, byte[] key, byte[] value) {
    sends.add(producer.send(new ProducerRecord<>(topic, key, value)));
  }

  /** A new producer with an open transaction. */
  public KafkaProducer<byte[], byte[]> transaction(String id) {
    Map<String, Object> properties = new HashMap<>(kafka());
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    KafkaProducer<byte[], byte[]> transaction =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    transaction.initTransactions();
    transaction.beginTransaction();
    return transaction;
  }

  /** Publishes a model and waits until it runs. */
  void begin(ModelSpec spec) throws Exception {
    publish(spec);
    flush();
    awaitUpdate(spec.getModelId(), update -> true);
  }

  /** Waits until the broker has acknowledged everything that was sent. */
  public void flush() throws Exception {
    producer.flush();
    for (Future<RecordMetadata> send : sends) {
      send.get();
    }
    sends.clear();
  }

  /** Waits for an update of the model that satisfies {@code wanted}; tests all updates in order. */
  public ModelUpdate awaitUpdate(String modelId, Predicate<ModelUpdate> wanted) throws Exception {
    return await(
            topics.updates(),
            record -> new String(record.key(), UTF_8).equals(modelId) && record.value() != null,
            update -> wanted.test(parseUpdate(update)))
        .map(TestTopics::parseUpdate)
        .orElseThrow();
  }

  /** Waits for the tombstone of a model. */
  public void awaitRetired(String modelId) {
    await(
        topics.updates(),
        record -> new String(record.key(), UTF_8).equals(modelId) && record.value() == null,
        record -> true);
  }

  /** Every committed accounting event of a model, once there are {@code atLeast}. */
  List<AccountingEvent> awaitEvents(String modelId, int atLeast) throws Exception {
    List<AccountingEvent> events = new ArrayList<>();
    awaitRecords(
        topics.accounting(),
        record -> {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          if (event.getModelId().equals(modelId)) {
            events.add(event);
          }
          return events.size() >= atLeast;
        });
    return events;
  }

  /** The committed journal of a model in order, once it has {@code atLeast} positions. */
  List<JournalEntry.Bundle> awaitJournal(String modelId, int atLeast) throws Exception {
    return awaitJournal(modelId, atLeast, 0);
  }

  /**
   * The committed journal of a model in order, once it has {@code atLeast} positions and {@code
   * publications} publications.
   */
  List<JournalEntry.Bundle> awaitJournal(String modelId, int atLeast, int publications)
      throws Exception {
    List<JournalEntry.Bundle> bundles = new ArrayList<>();
    int[] positions = {0};
    int[] published = {0};
    awaitRecords(
        topics.journal(),
        record -> {
          JournalEntry entry = JournalEntry.parseFrom(record.value());
          if (entry.getModelId().equals(modelId)) {
            for (JournalEntry.Bundle bundle : entry.getBundlesList()) {
              bundles.add(bundle);
              positions[0] += bundle.getPositionsCount();
              published[0] += bundle.getPublished() ? 1 : 0;
            }
          }
          return positions[0] >= atLeast && published[0] >= publications;
        });
    return bundles;
  }

  /**
   * The newest visible round of a model, which clients currently name; at least one must be
   * published.
   */
  long newestRound(String modelId) throws Exception {
    long[] newest = {-1};
    awaitRecords(
        topics.updates(),
        record -> {
          if (new String(record.key(), UTF_8).equals(modelId) && record.value() != null) {
            newest[0] = parseUpdate(record).getRound();
          }
          return newest[0] >= 0;
        });
    return newest[0];
  }

  /** Every committed update of a model in order; at least one. */
  public List<ModelUpdate> updates(String modelId) throws Exception {
    List<ModelUpdate> updates = new ArrayList<>();
    awaitRecords(
        topics.updates(),
        record -> {
          if (new String(record.key(), UTF_8).equals(modelId) && record.value() != null) {
            updates.add(parseUpdate(record));
          }
          return !updates.isEmpty();
        });
    return updates;
  }

  /** Every committed record of a topic, once there are {@code atLeast}. */
  public List<ConsumerRecord<byte[], byte[]>> awaitRecords(String topic, int atLeast)
      throws Exception {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    awaitRecords(
        topic,
        record -> {
          records.add(record);
          return records.size() >= atLeast;
        });
    return records;
  }

  /** Every committed accounting event of all models; at least one. */
  public List<AccountingEvent> events() throws Exception {
    return messages(
        topics.accounting(), record -> AccountingEvents.read(record.key(), record.value()));
  }

  /** Waits for the only accounting event beside those that were {@code seen}. */
  AccountingEvent awaitNext(List<AccountingEvent> seen) throws Exception {
    flush();
    awaitRecords(topics.accounting(), seen.size() + 1);
    List<AccountingEvent> events = events();
    seen.forEach(events::remove);
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  /** Every committed guarantee of all models; at least one. */
  public List<GuaranteeEvent> guarantees() throws Exception {
    return messages(topics.guarantees(), record -> GuaranteeEvent.parseFrom(record.value()));
  }

  private interface RecordReader<T> {
    T read(ConsumerRecord<byte[], byte[]> record) throws Exception;
  }

  private <T> List<T> messages(String topic, RecordReader<T> reader) throws Exception {
    List<T> messages = new ArrayList<>();
    awaitRecords(
        topic,
        record -> {
          messages.add(reader.read(record));
          return true;
        });
    return messages;
  }

  /** Reads a topic until {@code enough} has returned true and the current end is reached. */
  private void awaitRecords(String topic, RecordCheck enough) throws Exception {
    boolean satisfied = false;
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!satisfied || !atEnd(consumer)) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError(
              "%s doesn't contain the expected committed records after %s"
                  .formatted(topic, PATIENCE));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          satisfied = enough.test(record);
        }
      }
    }
  }

  /** A predicate on records that may fail to read one. */
  @FunctionalInterface
  private interface RecordCheck {
    boolean test(ConsumerRecord<byte[], byte[]> record) throws Exception;
  }

  private Optional<ConsumerRecord<byte[], byte[]>> await(
      String topic,
      Predicate<ConsumerRecord<byte[], byte[]>> filter,
      Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
    ConsumerRecord<byte[], byte[]> last = null;
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          if (filter.test(record)) {
            last = record;
            if (wanted.test(record)) {
              return Optional.of(record);
            }
          }
        }
      }
    }
    throw new AssertionError(
        "No wanted record on %s after %s; the last one: %s".formatted(topic, PATIENCE, text(last)));
  }

  private static String text(ConsumerRecord<byte[], byte[]> last) {
    if (last == null) {
      return "none";
    }
    ModelUpdate update = parseUpdate(last);
    return "round %d, used %d, stale %d, unpublished %d, open %d, %d weights other than 0"
        .formatted(
            update.getRound(),
            update.getUsed(),
            update.getDroppedStale(),
            update.getDroppedUnpublished(),
            update.getOpen(),
            update.getWeightsList().stream().filter(weight -> weight != 0).count());
  }

  static Position position(ConsumerRecord<?, ?> record) {
    return Position.newBuilder()
        .setTopic(record.topic())
        .setPartition(record.partition())
        .setOffset(record.offset())
        .build();
  }

  private static ModelUpdate parseUpdate(ConsumerRecord<byte[], byte[]> record) {
    try {
      return ModelUpdate.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("An update that can't be read", e);
    }
  }

  /** Reads the topic from its beginning, read committed. */
  KafkaConsumer<byte[], byte[]> consumer(String topic) {
    return consumer(topic, "read_committed");
  }

  /** Reads the topic from its beginning. */
  KafkaConsumer<byte[], byte[]> consumer(String topic, String isolation) {
    Map<String, Object> properties = new HashMap<>(kafka());
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
    // Closing a consumer waits for its pending fetch.
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 20);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes);
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  /** The number of committed records of a topic now. */
  int count(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      int records = 0;
      while (!atEnd(consumer)) {
        records += consumer.poll(Duration.ofMillis(50)).count();
      }
      return records;
    }
  }

  /** Whether a consumer has read all that its isolation level lets it read. */
  static boolean atEnd(KafkaConsumer<byte[], byte[]> consumer) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    return ends.entrySet().stream().allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(1));
  }
}
