package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.cli.io.CountBar;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import java.io.IOException;
import java.io.PrintWriter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the committed events of an accounting topic, up to its end at the time of the call. */
public final class AccountingTopic {
  private AccountingTopic() {}

  /** Receives events. */
  @FunctionalInterface
  public interface EventHandler {
    /**
     * Receives the next event; the events of one user arrive in topic order.
     *
     * @param place topic, partition and offset of the event, for messages
     */
    void read(AccountingEvent event, String place);
  }

  /**
   * Reads the accounting topic of a configuration.
   *
   * @param err receives a line if this takes longer than two seconds and draws no bar
   * @throws InputException if the topic doesn't exist or can't be read, or if a record is not an
   *     accounting event
   */
  public static void read(JobConfig config, PrintWriter err, EventHandler reader) {
    String topic = config.topics().accounting();
    if (CountBar.isTerminal()) {
      read(config, topic, reader);
      return;
    }
    Waiting.on(
        "the events of topic " + topic,
        err,
        () -> {
          read(config, topic, reader);
          return topic;
        });
  }

  private static void read(JobConfig config, String topic, EventHandler reader) {
    try (CountBar bar = new CountBar(topic, -1, CountBar.isTerminal())) {
      CommittedRecords.forEach(
          config.kafka(),
          topic,
          range -> bar.expect(range.size()),
          record -> {
            bar.step(1);
            reader.read(event(record), place(record));
          });
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static AccountingEvent event(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      throw noEvent(record, null);
    }
    try {
      return AccountingEvents.read(record.key(), record.value());
    } catch (InvalidProtocolBufferException e) {
      throw noEvent(record, e);
    }
  }

  private static InputException noEvent(ConsumerRecord<byte[], byte[]> record, Exception cause) {
    return new InputException(
        place(record)
            + ": the record is not an AccountingEvent; the topic must be the accounting"
            + " topic of a job",
        cause);
  }

  private static String place(ConsumerRecord<byte[], byte[]> record) {
    return "%s, partition %d, offset %d"
        .formatted(record.topic(), record.partition(), record.offset());
  }
}
