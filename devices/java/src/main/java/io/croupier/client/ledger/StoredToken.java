package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
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
  private final ByteString data;
  private final byte[] bytes;

  StoredToken(long sequence, Stage stage, ByteString data, byte[] bytes) {
    this.sequence = sequence;
    this.stage = stage;
    this.data = data;
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

  /** Digest of the data that its report is to be about, from the draw on that it is about. */
  ByteString data() {
    return data;
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
  static StoredToken parse(long sequence, ByteString data, byte[] encoded) {
    for (Stage stage : Stage.values()) {
      if (stage.code == encoded[0]) {
        return new StoredToken(
            sequence, stage, data, Arrays.copyOfRange(encoded, 1, encoded.length));
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
