package io.croupier.operators.flink;

/**
 * A record for one of the output topics; all outputs share one transactional sink. A Flink POJO. It
 * may contain a gradient, so it has no {@code toString}.
 */
public final class OutboundRecord {

  /** The output topics. */
  public enum Destination {
    UPDATES,
    ACCOUNTING,
    GUARANTEES,
    JOURNAL,
    DEAD_LETTERS,
    RAW_DEAD_LETTERS,
    PROGRESS,
    GRANTS,
    ACCOUNT_ANSWERS
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
