package io.croupier.client.ledger;

import java.util.Arrays;

/**
 * The token of one window: asked for, held, then used for one report. Only exactly these bytes may
 * be sent.
 */
public final class StoredToken {

  /** The stages of a token, in order. Numbers are part of the format. */
  public enum Stage {
    /** Charged, and not yet granted: the bytes contain the request. */
    ASKED(1),
    /** Granted: the bytes contain the signed token. */
    HELD(2),
    /** A report with it was drawn: the bytes contain the report. */
    DRAWN(3),
    /** Its report arrived, or it admits none any more. */
    ENDED(4);

    private final byte code;

    Stage(int code) {
      this.code = (byte) code;
    }
  }

  private final long sequence;
  private final Stage stage;
  private final byte[] bytes;

  StoredToken(long sequence, Stage stage, byte[] bytes) {
    this.sequence = sequence;
    this.stage = stage;
    this.bytes = bytes;
  }

  /** The number under which it was charged. */
  public long sequence() {
    return sequence;
  }

  /** How far it is. */
  public Stage stage() {
    return stage;
  }

  /** What the stage needs, in the form of its owner; not a copy, and must not be modified. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether this may be the next state of an earlier one: stages never return. */
  boolean follows(StoredToken earlier) {
    return sequence == earlier.sequence && stage.compareTo(earlier.stage) > 0;
  }

  byte[] encoded() {
    byte[] encoded = new byte[1 + bytes.length];
    encoded[0] = stage.code;
    System.arraycopy(bytes, 0, encoded, 1, bytes.length);
    return encoded;
  }

  /** Reads {@link #encoded} bytes; null if there is no such stage. */
  static StoredToken parse(long sequence, byte[] encoded) {
    for (Stage stage : Stage.values()) {
      if (stage.code == encoded[0]) {
        return new StoredToken(sequence, stage, Arrays.copyOfRange(encoded, 1, encoded.length));
      }
    }
    return null;
  }

  /** Contains nothing that links a report to its person. */
  @Override
  public String toString() {
    return "StoredToken[sequence=" + sequence + ", stage=" + stage + "]";
  }
}
