package io.croupier.operators.flink;

/** A record as read from Kafka. It may contain a gradient, so it has no {@code toString}. */
public final class RawRecord {
  public String topic = "";
  public int partition;
  public long offset;

  /**
   * When the broker appended the record, or, if the topic keeps the producers' time instead, when
   * the record was read. Milliseconds since 1970.
   */
  public long appendedAtMs;

  /** May be null. */
  public byte[] key;

  /** May be null. */
  public byte[] value;
}
