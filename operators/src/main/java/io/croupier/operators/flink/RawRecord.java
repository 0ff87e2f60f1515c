package io.croupier.operators.flink;

/**
 * A record as it was read from Kafka. A Flink POJO; it may hold a gradient, so it prints nothing.
 */
public final class RawRecord {
  public String topic = "";
  public int partition;
  public long offset;

  /** The record's time stamp, milliseconds since 1970. */
  public long timestampMs;

  /** May be null. */
  public byte[] key;

  /** May be null. */
  public byte[] value;
}
