package io.croupier.job;

import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the models topic to its last stable offset, by position, with a separate consumer. */
final class KafkaSpecReader implements SpecReader {
  private static final long serialVersionUID = 1;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Map<String, String> kafka;
  private final String topic;

  KafkaSpecReader(Map<String, String> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  @Override
  public List<SpecRecord> readToEnd() throws IOException {
    Properties properties = KafkaIo.properties(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic, PATIENCE).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      List<SpecRecord> specs = new ArrayList<>();
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey(), PATIENCE) < end.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new IOException(
              "The models topic %s could not be read to its end within %s"
                  .formatted(topic, PATIENCE));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          specs.add(KafkaIo.spec(record));
        }
      }
      return specs;
    } catch (KafkaException e) {
      throw new IOException("The models topic " + topic + " can't be read", e);
    }
  }
}
