package io.croupier.operators.flink;

/**
 * A record as it was read from Kafka. A Flink POJO; it may hold a gradient, so it prints nothing.
 */
public final class RawRecord {
  public String topic = "";
  public int partition;
  public long offset;

  /**
   * When the broker appended the record, milliseconds since 1970; when it was read, if the topic
   * keeps the producers' time instead.
   */
  public long appendedAtMs;

  /** May be null. */
  public byte[] key;

  /** May be null. */
  public byte[] value;
}
