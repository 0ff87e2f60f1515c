package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The compacted topic from which the job reads its models. */
public final class ModelsTopic {

  private final Map<String, ?> kafka;
  private final String topic;

  /**
   * Makes a view of the topic.
   *
   * @param kafka properties of Kafka clients, including the bootstrap servers
   */
  public ModelsTopic(Map<String, ?> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  /**
   * The last readable spec of every model that is not retired, by model id. Unreadable records are
   * skipped, as the job skips them.
   */
  public SortedMap<String, ModelSpec> current() {
    SortedMap<String, ModelSpec> specs = new TreeMap<>();
    try {
      CommittedRecords.forEach(kafka, topic, record -> add(specs, record));
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
    return specs;
  }

  private static void add(Map<String, ModelSpec> specs, ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null) {
      return;
    }
    String modelId = new String(record.key(), UTF_8);
    if (record.value() == null) {
      specs.remove(modelId);
      return;
    }
    try {
      specs.put(modelId, ModelSpec.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      // The job writes a dead letter and keeps the previous spec; so does this view.
      return;
    }
  }

  /** Publishes validated specs and waits until the brokers acknowledge them. */
  public void publish(List<ModelSpec> specs) {
    send(
        specs.stream()
            .map(
                spec ->
                    new ProducerRecord<>(
                        topic, spec.getModelId().getBytes(UTF_8), spec.toByteArray()))
            .toList());
  }

  /** Retires models by publishing a null value for each. */
  public void retire(List<String> modelIds) {
    send(
        modelIds.stream()
            .map(id -> new ProducerRecord<byte[], byte[]>(topic, id.getBytes(UTF_8), null))
            .toList());
  }

  private void send(List<ProducerRecord<byte[], byte[]>> records) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (Producer<byte[], byte[]> producer = new KafkaProducer<>(properties, bytes, bytes)) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (ProducerRecord<byte[], byte[]> record : records) {
        sent.add(producer.send(record));
      }
      producer.flush();
      for (Future<RecordMetadata> future : sent) {
        future.get();
      }
    } catch (KafkaException e) {
      throw unreachable(e);
    } catch (ExecutionException e) {
      throw unreachable(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InputException("Interrupted before the brokers acknowledged all records", e);
    }
  }

  private InputException unreachable(Throwable e) {
    return new InputException(
        "Topic %s at %s can't be used: %s"
            .formatted(topic, kafka.get("bootstrap.servers"), e.getMessage()),
        e);
  }
}
