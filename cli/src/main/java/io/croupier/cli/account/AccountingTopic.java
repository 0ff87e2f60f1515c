package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.CommittedRecords;
import io.croupier.cli.InputException;
import io.croupier.job.JobConfig;
import io.croupier.schemas.AccountingEvent;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The committed events of an accounting topic, from its beginning to its end as of now. */
public final class AccountingTopic {
  private static final int STEP = 4096;

  private AccountingTopic() {}

  /** What is done with an event. */
  @FunctionalInterface
  public interface EventHandler {
    /**
     * Takes the next event; those of one user come in their order.
     *
     * @param place where it stands, in words
     */
    void read(AccountingEvent event, String place);
  }

  /**
   * Reads the topic that a configuration names.
   *
   * @throws InputException if there is none, it can't be read, or what is on it is no event
   */
  public static void read(JobConfig config, EventHandler reader) {
    String topic = config.topics().accounting();
    ReadProgress progress = new ReadProgress(topic);
    try {
      CommittedRecords.forEach(
          config.kafka(),
          topic,
          progress::begin,
          record -> {
            progress.step();
            reader.read(event(record), place(record));
          });
    } finally {
      progress.end();
    }
  }

  private static AccountingEvent event(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      throw noEvent(record, null);
    }
    try {
      return AccountingEvent.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw noEvent(record, e);
    }
  }

  private static InputException noEvent(ConsumerRecord<byte[], byte[]> record, Exception cause) {
    return new InputException(
        place(record) + ": no AccountingEvent; the topic must be that of a job's events", cause);
  }

  private static String place(ConsumerRecord<byte[], byte[]> record) {
    return "%s, partition %d, offset %d"
        .formatted(record.topic(), record.partition(), record.offset());
  }

  /** How far the topic is read. */
  private static final class ReadProgress {
    private final String topic;
    private TopicProgressBar bar;
    private long read;

    private ReadProgress(String topic) {
      this.topic = topic;
    }

    private void begin(long offsets) {
      bar = TopicProgressBar.ofRecords(topic, offsets);
    }

    private void step() {
      if (++read % STEP == 0) {
        bar.stepTo(read);
      }
    }

    private void end() {
      if (bar != null) {
        bar.close();
      }
    }
  }
}
