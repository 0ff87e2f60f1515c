package io.croupier.operators.flink;

/**
 * A record on its way to one of the output topics; all outputs share one transactional sink. A
 * Flink POJO; it may hold a gradient, so it prints nothing.
 */
public final class OutboundRecord {

  /** Which of the output topics. */
  public enum Destination {
    UPDATES,
    ACCOUNTING,
    GUARANTEES,
    JOURNAL,
    DEAD_LETTERS,
    RAW_DEAD_LETTERS
  }

  public Destination destination = Destination.DEAD_LETTERS;

  /** May be null for dead letters. */
  public byte[] key;

  /** Null deletes the key from a compacted topic. */
  public byte[] value;

  public String[] headerNames = {};
  public byte[][] headerValues = {};

  public OutboundRecord() {}

  public OutboundRecord(Destination destination, byte[] key, byte[] value) {
    this.destination = destination;
    this.key = key;
    this.value = value;
  }
}
