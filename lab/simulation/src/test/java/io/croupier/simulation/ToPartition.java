package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Optional;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes to partition 0 of a topic. */
record ToPartition(String topic)
    implements KafkaRecordSerializationSchema<String>, KafkaDatasetFacetProvider {
  @Override
  public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
    return Optional.of(
        new DefaultKafkaDatasetFacet(DefaultKafkaDatasetIdentifier.ofTopics(List.of(topic))));
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      String value, KafkaSinkContext context, Long timestamp) {
    return new ProducerRecord<>(topic, 0, null, value.getBytes(UTF_8));
  }
}
