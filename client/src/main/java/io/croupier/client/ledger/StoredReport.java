package io.croupier.client.ledger;

/** A report that is charged and durable: whatever happens, these bytes are what may be sent. */
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

  /** The record to send; not a copy, and not to be changed. */
  public byte[] bytes() {
    return bytes;
  }
}
