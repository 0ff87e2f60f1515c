package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.TopicWriter;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The compacted topic from which the job reads its models. */
public final class ModelsTopic {

  private final Map<String, ?> kafka;
  private final String topic;
  private final TopicWriter writer;

  /**
   * Makes a view of the topic.
   *
   * @param kafka properties of Kafka clients, including the bootstrap servers
   */
  public ModelsTopic(Map<String, ?> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
    writer = new TopicWriter(kafka, topic);
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
    writer.send(
        specs.stream()
            .map(
                spec ->
                    new ProducerRecord<>(
                        topic, spec.getModelId().getBytes(UTF_8), spec.toByteArray()))
            .toList());
  }

  /** Retires models by publishing a null value for each. */
  public void retire(List<String> modelIds) {
    writer.send(
        modelIds.stream()
            .map(id -> new ProducerRecord<byte[], byte[]>(topic, id.getBytes(UTF_8), null))
            .toList());
  }
}
