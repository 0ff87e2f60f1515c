package io.croupier.job.kafka;

import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.SpecReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the models topic to its last stable offset, with a separate consumer. */
public final class KafkaSpecReader implements SpecReader {
  private static final long serialVersionUID = 1;

  private final Map<String, String> kafka;
  private final String topic;

  /** Creates a reader of a topic; {@code kafka} has the properties of Kafka's clients. */
  public KafkaSpecReader(Map<String, String> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  @Override
  public List<SpecRecord> readToEnd() throws IOException {
    List<SpecRecord> specs = new ArrayList<>();
    CommittedRecords.forEach(kafka, topic, record -> specs.add(KafkaIo.spec(record)));
    return specs;
  }
}
