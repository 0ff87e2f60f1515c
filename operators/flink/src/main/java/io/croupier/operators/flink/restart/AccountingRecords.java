package io.croupier.operators.flink.restart;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import java.util.List;

/** Reads records of the accounting topic, which only the ledger may write. */
public final class AccountingRecords {
  private AccountingRecords() {}

  /**
   * Reads an accounting event.
   *
   * @param key null for a record without a key
   * @param value of a record that {@linkplain #isDeletion deletes} nothing
   * @throws RefusedStartException if no ledger can have written it; a retry would read the same
   *     record again
   */
  public static AccountingEvent event(
      String topic, int partition, long offset, byte[] key, byte[] value) {
    AccountingEvent event;
    try {
      event = AccountingEvents.read(key, value);
    } catch (InvalidProtocolBufferException e) {
      throw odd(topic, partition, offset, "it can't be parsed");
    }
    List<String> violations = AccountingEvents.violations(event);
    if (!violations.isEmpty()) {
      throw odd(topic, partition, offset, String.join("; ", violations));
    }
    return event;
  }

  /**
   * Returns whether a record deletes the events of its key, which an erasure has made obsolete.
   *
   * @param key null for a record without a key
   * @param value null for a record without a value
   * @throws RefusedStartException if no ledger can have written it
   */
  public static boolean isDeletion(
      String topic, int partition, long offset, byte[] key, byte[] value) {
    if (value != null) {
      return false;
    }
    try {
      if (key != null) {
        AccountingKey unused = AccountingKey.parse(key);
        return true;
      }
    } catch (IllegalArgumentException e) {
      // The exception below covers this case, too.
    }
    throw odd(topic, partition, offset, "it has no value, and its key is no event's");
  }

  /** Creates the refusal of a record; {@code why} contains no user. */
  public static RefusedStartException odd(String topic, int partition, long offset, String why) {
    return new RefusedStartException(
        ("The record at %s-%d@%d is not an AccountingEvent of a ledger: %s. Another"
                + " program writes to the topic: restrict it to the job, copy the other records,"
                + " with their timestamps and in their order, to a new topic, and configure that"
                + " topic (topics.accounting)")
            .formatted(topic, partition, offset, why));
  }
}
