package io.croupier.cli.ledger;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.GuaranteeEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the committed events of a guarantees topic, up to its end at the time of the call. */
final class GuaranteesTopic {
  private GuaranteesTopic() {}

  /**
   * Reads the guarantees topic of a configuration.
   *
   * @param err receives a line if this takes longer than two seconds
   * @throws InputException if the topic doesn't exist or can't be read, or if a record is no event
   *     of a guarantee
   */
  static void read(JobConfig config, PrintWriter err, Consumer<GuaranteeEvent> reader) {
    String topic = config.topics().guarantees();
    try {
      Waiting.on(
          "the events of topic " + topic,
          err,
          () -> {
            CommittedRecords.forEach(
                config.kafka(), topic, record -> reader.accept(event(topic, record)));
            return topic;
          });
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static GuaranteeEvent event(String topic, ConsumerRecord<byte[], byte[]> record) {
    try {
      return GuaranteeEvent.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new InputException(
          "%s, partition %d, offset %d: the record is not a GuaranteeEvent; the topic must be the guarantees topic of a job"
              .formatted(topic, record.partition(), record.offset()),
          e);
    }
  }
}
