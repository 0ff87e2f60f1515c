package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.TopicWriter;
import io.croupier.client.SkippedRecords;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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
   * The last good spec of every model that is not retired, by model id. Records that the job
   * refuses are logged and skipped, as the job skips them.
   */
  public SortedMap<String, ModelSpec> current() {
    SortedMap<String, ModelSpec> specs = new TreeMap<>();
    PublishedSpecs published = new PublishedSpecs(spec -> List.of());
    SkippedRecords skipped = new SkippedRecords();
    try {
      CommittedRecords.forEach(
          kafka,
          topic,
          record -> {
            String modelId = record.key() == null ? "" : new String(record.key(), UTF_8);
            SpecChange change = published.apply(modelId, record.offset(), record.value());
            if (change instanceof SpecChange.Accepted) {
              specs.put(modelId, spec(record.value()));
            } else if (change instanceof SpecChange.Retired) {
              specs.remove(modelId);
            } else if (change instanceof SpecChange.Refused refused) {
              skipped.add(record.topic(), record.partition(), record.offset(), refused.reason());
            }
          });
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
    return specs;
  }

  /** The spec as it was published, with deprecated names. */
  private static ModelSpec spec(byte[] value) {
    try {
      return ModelSpec.parseFrom(value);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a spec that was read can be read again", e);
    }
  }

  /**
   * What is known of earlier changes.
   *
   * @param model whose changes; empty for all models
   */
  ModelLog log(Optional<String> model) {
    ModelLog log = new ModelLog(model);
    try {
      CommittedRecords.forEach(
          kafka, topic, range -> range.ends().values().forEach(log::addOffsets), log::add);
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
    return log;
  }

  /**
   * Publishes validated specs and waits until the brokers acknowledge them.
   *
   * @param author who changes the models
   */
  public void publish(List<ModelSpec> specs, String author) {
    writer.send(
        specs.stream().map(spec -> record(spec.getModelId(), spec.toByteArray(), author)).toList());
  }

  /** Retires models by publishing a null value for each. */
  public void retire(List<String> modelIds, String author) {
    writer.send(modelIds.stream().map(id -> record(id, null, author)).toList());
  }

  private ProducerRecord<byte[], byte[]> record(String modelId, byte[] value, String author) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, modelId.getBytes(UTF_8), value);
    record.headers().add(ModelLog.AUTHOR, author.getBytes(UTF_8));
    return record;
  }
}
