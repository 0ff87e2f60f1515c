package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.cli.io.CountBar;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.GuaranteeEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads the committed events of a configuration's topics, up to their end at the time of the call.
 * A handler receives each event with its place, for messages: topic, partition and offset.
 */
public final class EventTopics {
  private EventTopics() {}

  /**
   * Reads the accounting topic; the events of one user arrive in topic order.
   *
   * @param err receives a line if this takes longer than two seconds and draws no bar
   * @param forgotten receives each user whose totals an erasure has deleted, between the user's
   *     earlier and later events
   * @throws InputException if the topic doesn't exist or can't be read, or if a record is not an
   *     accounting event
   */
  public static void accounting(
      JobConfig config,
      PrintWriter err,
      BiConsumer<AccountingEvent, String> handler,
      Consumer<String> forgotten) {
    read(
        config,
        config.topics().accounting(),
        err,
        CountBar.isTerminal(),
        "an AccountingEvent; the topic must be the accounting topic of a job",
        EventTopics::event,
        handler,
        key -> {
          if (key != null && AccountingKey.isOfErasure(key)) {
            forgotten.accept(AccountingKey.parse(key).userId());
          }
        });
  }

  /**
   * Reads the guarantees topic.
   *
   * @param err receives a line if this takes longer than two seconds
   * @throws InputException if the topic doesn't exist or can't be read, or if a record is no event
   *     of a guarantee
   */
  public static void guarantees(
      JobConfig config, PrintWriter err, BiConsumer<GuaranteeEvent, String> handler) {
    read(
        config,
        config.topics().guarantees(),
        err,
        false,
        "a GuaranteeEvent; the topic must be the guarantees topic of a job",
        record -> GuaranteeEvent.parseFrom(record.value()),
        handler,
        key -> {});
  }

  private interface EventParser<E> {
    E parse(ConsumerRecord<byte[], byte[]> record) throws InvalidProtocolBufferException;
  }

  private static <E> void read(
      JobConfig config,
      String topic,
      PrintWriter err,
      boolean drawsBar,
      String right,
      EventParser<E> parser,
      BiConsumer<E, String> handler,
      Consumer<byte[]> deleted) {
    try (CountBar bar = new CountBar(topic, -1, drawsBar)) {
      Waiting.Awaited<String, IOException> reading =
          () -> {
            CommittedRecords.forEach(
                config.kafka(),
                topic,
                range -> bar.expect(range.size()),
                record -> {
                  bar.step(1);
                  if (record.value() == null) {
                    deleted.accept(record.key());
                  } else {
                    String place =
                        "%s, partition %d, offset %d"
                            .formatted(record.topic(), record.partition(), record.offset());
                    handler.accept(event(record, place, right, parser), place);
                  }
                });
            return topic;
          };
      String unused =
          drawsBar ? reading.run() : Waiting.on("the events of topic " + topic, err, reading);
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  /** Bytes of another program may be a message without what all events have. */
  private static AccountingEvent event(ConsumerRecord<byte[], byte[]> record)
      throws InvalidProtocolBufferException {
    AccountingEvent event = AccountingEvents.read(record.key(), record.value());
    if (!AccountingEvents.violations(event).isEmpty()) {
      throw new InvalidProtocolBufferException("the event has no valid ids and source");
    }
    return event;
  }

  private static <E> E event(
      ConsumerRecord<byte[], byte[]> record, String place, String right, EventParser<E> parser) {
    try {
      return parser.parse(record);
    } catch (InvalidProtocolBufferException e) {
      throw new InputException("%s: the record is not %s".formatted(place, right), e);
    }
  }
}
