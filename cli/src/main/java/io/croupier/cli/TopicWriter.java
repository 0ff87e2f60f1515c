package io.croupier.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends an operator's records to a topic. */
public final class TopicWriter {
  private final Map<String, ?> kafka;
  private final String topic;

  /**
   * Creates a writer.
   *
   * @param kafka properties of Kafka clients, including the bootstrap servers
   */
  public TopicWriter(Map<String, ?> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  /**
   * Sends records, and waits until the brokers acknowledge all of them.
   *
   * @return the positions of the records, in their order
   * @throws InputException if the topic can't be used
   */
  public List<RecordMetadata> send(List<ProducerRecord<byte[], byte[]>> records) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (Producer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (ProducerRecord<byte[], byte[]> record : records) {
        sent.add(producer.send(record));
      }
      producer.flush();
      List<RecordMetadata> positions = new ArrayList<>();
      for (Future<RecordMetadata> future : sent) {
        positions.add(future.get());
      }
      return positions;
    } catch (KafkaException e) {
      throw unusable(e);
    } catch (ExecutionException e) {
      throw unusable(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InputException("Interrupted before the brokers acknowledged all records", e);
    }
  }

  private InputException unusable(Throwable e) {
    return new InputException(
        "Topic %s at %s can't be used: %s"
            .formatted(topic, kafka.get("bootstrap.servers"), e.getMessage()),
        e);
  }
}
