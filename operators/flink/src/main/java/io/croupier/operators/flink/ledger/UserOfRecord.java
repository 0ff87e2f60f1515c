package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.RawRecord;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The user whose account a record is for, according to its key. The record's bytes need not agree,
 * nor name any user: then the ledger accesses no account.
 */
public final class UserOfRecord implements KeySelector<RawRecord, String> {
  private static final long serialVersionUID = 1;

  /** Creates the selector. */
  public UserOfRecord() {}

  @Override
  public String getKey(RawRecord record) {
    return of(record);
  }

  /** Returns the text of a record's key; without a key, an empty one. */
  static String of(RawRecord record) {
    return record.key == null ? "" : new String(record.key, UTF_8);
  }
}
