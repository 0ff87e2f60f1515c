package io.croupier.operators.flink.spend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.croupier.operators.flink.RawRecord;
import org.apache.flink.api.java.functions.KeySelector;

/** The nonce of an anonymous report, which is its record's key; empty if the record has none. */
public final class NonceOfRecord implements KeySelector<RawRecord, String> {
  private static final long serialVersionUID = 1;

  @Override
  public String getKey(RawRecord record) {
    return record.key == null ? "" : new String(record.key, ISO_8859_1);
  }
}
