package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.job.restart.CompactedAccounts;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The keys of a user's events on the accounting topic, but for those that are deleted. */
final class EventKeys {
  private final JobConfig config;
  private final ByteString user;
  private final Set<ByteString> keys = new LinkedHashSet<>();

  private EventKeys(JobConfig config, String user) {
    this.config = config;
    this.user = ByteString.copyFromUtf8(user);
  }

  /**
   * Reads the topic.
   *
   * @throws InputException if that isn't possible
   */
  static EventKeys of(JobConfig config, String user) {
    EventKeys keys = new EventKeys(config, user);
    try {
      CommittedRecords.forEach(config.kafka(), config.topics().accounting(), keys::add);
    } catch (IOException e) {
      throw new InputException(e.getMessage(), e);
    }
    return keys;
  }

  /** A key of release 0.2.0 is the user alone; other records are none of a ledger. */
  private void add(ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null) {
      return;
    }
    ByteString key = ByteString.copyFrom(record.key());
    if (record.value() == null) {
      keys.remove(key);
    } else if (key.endsWith(user) && user.equals(userOf(record))) {
      keys.add(key);
    }
  }

  private static ByteString userOf(ConsumerRecord<byte[], byte[]> record) {
    try {
      return ByteString.copyFromUtf8(
          AccountingEvents.read(record.key(), record.value()).getUserId());
    } catch (InvalidProtocolBufferException e) {
      return ByteString.EMPTY;
    }
  }

  /** Whether the user has no event. */
  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Those of reports: the event of an erasure states the totals. */
  Set<ByteString> ofEvents() {
    Set<ByteString> ofReports = new LinkedHashSet<>(keys);
    ofReports.remove(ByteString.copyFrom(AccountingKey.ofErasure(user.toString(UTF_8))));
    return ofReports;
  }

  /**
   * Requires that the brokers forget what is deleted.
   *
   * @throws InputException if the topic is no compacted one of events of version 2
   */
  void requireCompaction() {
    String topic = config.topics().accounting();
    boolean isCompacted;
    try {
      isCompacted = new CompactedAccounts(config.kafka(), topic).requireVersion2();
    } catch (IOException | RefusedStartException e) {
      throw new InputException(e.getMessage(), e);
    }
    if (!isCompacted) {
      throw new InputException(
          ("Topic %s isn't compacted, so the brokers keep all events whatever is deleted; see"
                  + " 'Compacting the accounting topic' in docs/run/people.md")
              .formatted(topic));
    }
  }
}
