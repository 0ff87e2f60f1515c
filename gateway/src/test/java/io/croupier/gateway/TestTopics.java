package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Croupier's topics on a broker, with what the job and operators write to them. */
public class TestTopics implements AutoCloseable {
  static final int PARTITIONS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);

  private final Map<String, String> kafka;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Topics topics;

  /** Waits for a broker, and creates the topics. */
  public TestTopics(Map<String, String> kafka) throws Exception {
    this.kafka = Map.copyOf(kafka);
    topics = Topics.withPrefix("croupier");
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      List<NewTopic> missing = new ArrayList<>();
      for (String topic : topics.all()) {
        missing.add(new NewTopic(topic, topic.equals(topics.models()) ? 1 : PARTITIONS, (short) 1));
      }
      admin.createTopics(missing).all().get();
      // A broker may not know a new topic yet.
      Condition.await(() -> admin.listTopics().names().get().containsAll(topics.all()));
    }
    ByteArraySerializer bytes = new ByteArraySerializer();
    producer = new KafkaProducer<>(Map.<String, Object>copyOf(kafka), bytes, bytes);
  }

  public Map<String, String> kafka() {
    return kafka;
  }

  public Topics topics() {
    return topics;
  }

  /** Publishes a valid spec. */
  public void publish(ModelSpec spec) throws Exception {
    if (!ModelSpecs.violations(spec).isEmpty()) {
      throw new IllegalArgumentException(ModelSpecs.violations(spec).toString());
    }
    write(topics.models(), spec.getModelId(), spec.toByteArray());
  }

  void retire(String id) throws Exception {
    write(topics.models(), id, null);
    write(topics.updates(), id, null);
  }

  /** Publishes weights that are all the round's number. */
  public void update(String id, int dimension, long round) throws Exception {
    update(TestBroker.update(id, dimension, round, TestBroker.BOUND).build());
  }

  void update(ModelUpdate update) throws Exception {
    write(topics.updates(), update.getModelId(), update.toByteArray());
  }

  void write(String topic, String key, byte[] value) throws Exception {
    producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value)).get();
  }

  /** Everything that is on a topic now. */
  public List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    Map<String, Object> settings = new HashMap<>(kafka());
    // The consumer's end waits for the fetch that it has begun at the topic's end.
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 10);
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("topic " + topic + " can't be read to its end");
        }
        consumer.poll(POLL).forEach(found::add);
      }
    }
    return found;
  }

  /** The reports on the gradients topic. */
  List<GradientReport> reports() throws Exception {
    List<GradientReport> reports = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : read(topics.gradients())) {
      reports.add(GradientReport.parseFrom(record.value()));
    }
    return reports;
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
