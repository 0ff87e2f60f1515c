package io.croupier.job.kafka;

import io.croupier.job.kafka.CommittedRecords.OffsetRange;
import io.croupier.operators.flink.SpecReader;
import io.croupier.operators.flink.SpecRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the models topic to its last stable offset, with a separate consumer. */
public final class KafkaSpecReader implements SpecReader {
  private static final long serialVersionUID = 1;

  private static final Logger LOG = LoggerFactory.getLogger(KafkaSpecReader.class);

  private final Map<String, String> kafka;
  private final String topic;

  /** Creates a reader of a topic; {@code kafka} has the properties of Kafka's clients. */
  public KafkaSpecReader(Map<String, String> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  @Override
  public List<SpecRecord> readToEnd() throws IOException {
    return readToEnd(Map.of());
  }

  /**
   * {@inheritDoc}
   *
   * <p>Only where the topic had the known record: not if it has expired, or the topic was created
   * again since. In a topic of several partitions, which the job doesn't create, that is unknown.
   */
  @Override
  public List<SpecRecord> readToEnd(Map<String, Long> known) throws IOException {
    List<SpecRecord> specs = new ArrayList<>();
    Map<String, Long> missing = new HashMap<>(known);
    CommittedRecords.forEach(
        kafka,
        topic,
        range -> {
          warnIfCreatedAgain(known, range);
          missing.values().removeIf(offset -> !range.isOfOnePartition() || !range.has(offset));
        },
        record -> {
          SpecRecord spec = KafkaIo.spec(record);
          missing.remove(spec.modelId);
          specs.add(spec);
        });
    List<SpecRecord> all = new ArrayList<>();
    missing.forEach((modelId, offset) -> all.add(retirement(modelId, offset + 1)));
    all.addAll(specs);
    return all;
  }

  private void warnIfCreatedAgain(Map<String, Long> known, OffsetRange range) {
    known.values().stream()
        .filter(range::endsBefore)
        .max(Long::compare)
        .ifPresent(
            offset ->
                LOG.warn(
                    "The topic {} ends before offset {}, which the state has read: it was created"
                        + " again. Up to this offset, changes of the state's models have no effect,"
                        + " retirements included. Start without state and with --rebuild-ledger",
                    topic,
                    offset));
  }

  private static SpecRecord retirement(String modelId, long offset) {
    SpecRecord retirement = new SpecRecord();
    retirement.modelId = modelId;
    retirement.offset = offset;
    return retirement;
  }
}
