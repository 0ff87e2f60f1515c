package io.croupier.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes and reads the records of a job's topics; readers are read_committed. */
final class Records implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final String bootstrapServers;
  private final Topics topics;
  private final KafkaProducer<byte[], byte[]> producer;

  Records(String bootstrapServers, Topics topics) {
    this.bootstrapServers = bootstrapServers;
    this.topics = topics;
    producer = producer(Map.of());
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(more);
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  void publish(ModelSpec spec) throws Exception {
    send(topics.models(), spec.getModelId(), spec.toByteArray());
  }

  void retire(String modelId) throws Exception {
    send(topics.models(), modelId, null);
  }

  void report(GradientReport report) throws Exception {
    String topic = report.hasCentral() ? topics.rawGradients() : topics.gradients();
    send(topic, report.getUserId(), report.toByteArray());
  }

  void send(String topic, String key, byte[] value) throws Exception {
    producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)).get();
  }

  /** Writes a record in a transaction that is then aborted. */
  void abort(String topic, String key, MessageLite record) throws Exception {
    try (KafkaProducer<byte[], byte[]> transactional =
        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "aborted"))) {
      transactional.initTransactions();
      transactional.beginTransaction();
      transactional
          .send(new ProducerRecord<>(topic, key.getBytes(UTF_8), record.toByteArray()))
          .get();
      transactional.abortTransaction();
    }
  }

  /** Waits until a topic's committed records satisfy a condition. */
  void await(String topic, Predicate<List<ConsumerRecord<byte[], byte[]>>> wanted) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!wanted.test(records)) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError(
              "%s: %d records, but not those expected".formatted(topic, records.size()));
        }
        consumer.poll(Duration.ofMillis(50)).forEach(records::add);
      }
    }
  }

  /** The newest committed record of each key, without those that are null. */
  <T> Map<String, T> read(String topic, Parser<T> parser) throws Exception {
    Map<String, T> newest = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic)) {
      Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          String key = new String(record.key(), UTF_8);
          if (record.value() == null) {
            newest.remove(key);
          } else {
            newest.put(key, parser.parse(record.key(), record.value()));
          }
        }
      }
    }
    return newest;
  }

  /** Parses the value of a record. */
  @FunctionalInterface
  interface Parser<T> {
    T parse(byte[] key, byte[] value) throws InvalidProtocolBufferException;
  }

  private KafkaConsumer<byte[], byte[]> consumer(String topic) {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed"),
            bytes,
            bytes);
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(1));
  }
}
