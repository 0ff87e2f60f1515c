package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads the updates that a large model publishes in ten seconds, as a start of the learner does,
 * and prints the times. {@code -Dupdates=N} sets their number (20), {@code -Dcoordinates=D} their
 * dimension (1,000,000).
 */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class UpdatesReadITCase {
  private static final String TOPIC = "updates";
  private static final String MODEL = "large";
  private static final int REPETITIONS = 3;

  @TempDir private Path directory;
  private final int updates = Integer.getInteger("updates", 20);
  private final int coordinates = Integer.getInteger("coordinates", 1_000_000);

  @Test
  void readsTheNewestRoundOfLargeUpdates() throws Exception {
    int mostBytes = 17 * coordinates + (1 << 20);
    try (EmbeddedBroker broker =
        EmbeddedBroker.start(
            directory,
            Map.of(
                "message.max.bytes", String.valueOf(mostBytes),
                "socket.request.max.bytes", String.valueOf(2 * mostBytes)))) {
      Map<String, String> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      NewTopic topic = new NewTopic(TOPIC, 1, (short) 1);
      topic.configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
      try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
        admin.createTopics(List.of(topic)).all().get();
      }
      long begin = System.nanoTime();
      write(kafka, mostBytes);
      System.out.printf("%d updates written in %d ms%n", updates, millisSince(begin));
      for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        begin = System.nanoTime();
        List<PublishedRound> rounds = new ArrayList<>();
        long[] bytes = {0};
        try (CommittedTopic published =
            CommittedTopic.open(
                kafka, TOPIC, Section.all(), OpenTransactions.abort(Set.of("job")))) {
          published.forEach(
              record -> {
                bytes[0] += record.serializedValueSize();
                KafkaVisibleOutputs.round(record).ifPresent(rounds::add);
                return true;
              });
        }
        System.out.printf("%,d bytes read in %d ms%n", bytes[0], millisSince(begin));
        assertThat(bytes[0]).isGreaterThan(16L * coordinates * updates);
        assertThat(rounds)
            .hasSize(updates)
            .last()
            .isEqualTo(new PublishedRound(MODEL, updates, 1_000 + updates));
      }
    }
  }

  /** Each update is a transaction of its own, and compressed as the job's sink compresses it. */
  private void write(Map<String, String> kafka, int mostBytes) throws Exception {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "job-0");
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, mostBytes);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 4L * mostBytes);
    ModelUpdate.Builder update = ModelUpdate.newBuilder().setModelId(MODEL);
    Random random = new Random(19);
    DoubleStream.generate(random::nextGaussian).limit(coordinates).forEach(update::addWeights);
    DoubleStream.generate(random::nextGaussian).limit(coordinates).forEach(update::addAverage);
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      producer.initTransactions();
      for (int round = 1; round <= updates; round++) {
        byte[] value = update.setRound(round).setPublishedAtMs(1_000 + round).build().toByteArray();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(TOPIC, MODEL.getBytes(UTF_8), value)).get();
        producer.commitTransaction();
      }
    }
  }

  private static long millisSince(long begin) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
  }
}
