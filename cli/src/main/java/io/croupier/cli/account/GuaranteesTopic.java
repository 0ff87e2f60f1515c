package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.GuaranteeEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the committed events of a guarantees topic, up to its end at the time of the call. */
public final class GuaranteesTopic {
  private GuaranteesTopic() {}

  /**
   * Reads the guarantees topic of a configuration.
   *
   * @param err receives a line if this takes longer than two seconds
   * @param reader receives each event with its place, for messages
   * @throws InputException if the topic doesn't exist or can't be read, or if a record is no event
   *     of a guarantee
   */
  public static void read(
      JobConfig config, PrintWriter err, BiConsumer<GuaranteeEvent, String> reader) {
    String topic = config.topics().guarantees();
    try {
      Waiting.on(
          "the events of topic " + topic,
          err,
          () -> {
            CommittedRecords.forEach(
                config.kafka(), topic, record -> reader.accept(event(record), place(record)));
            return topic;
          });
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static GuaranteeEvent event(ConsumerRecord<byte[], byte[]> record) {
    try {
      return GuaranteeEvent.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new InputException(
          place(record)
              + ": the record is not a GuaranteeEvent; the topic must be the guarantees topic of a"
              + " job",
          e);
    }
  }

  private static String place(ConsumerRecord<byte[], byte[]> record) {
    return "%s, partition %d, offset %d"
        .formatted(record.topic(), record.partition(), record.offset());
  }
}
