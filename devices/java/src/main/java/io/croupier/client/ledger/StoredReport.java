package io.croupier.client.ledger;

/** A charged and durable report. Only exactly these bytes may be sent. */
public final class StoredReport {
  private final long sequence;
  private final byte[] bytes;

  StoredReport(long sequence, byte[] bytes) {
    this.sequence = sequence;
    this.bytes = bytes;
  }

  /** Its number. */
  public long sequence() {
    return sequence;
  }

  /** The record to send; not a copy, and must not be modified. */
  public byte[] bytes() {
    return bytes;
  }
}
