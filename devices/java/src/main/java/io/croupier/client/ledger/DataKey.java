package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.client.token.Digests;
import io.croupier.schemas.GradientReports;
import java.nio.ByteBuffer;

/**
 * Names the data of a report, so that a device reports the same data to a model once. The ledger
 * counts the reports of each model and key, of whatever kind, for as long as it exists, and refuses
 * one more with an {@link AlreadyReportedException} before noise is drawn.
 *
 * <p>A key is a text of the caller, such as a day or a version of the data, or a digest of the data
 * themselves. The ledger's file contains neither: see {@link LedgerSecret}. Immutable.
 */
public final class DataKey {
  /** Number of bytes of UTF-8 that the text of a key may have. */
  public static final int MAX_BYTES = 256;

  /** The byte before the key in what is hashed: a text is never taken for a digest. */
  enum Origin {
    TEXT(0),
    DIGEST(1);

    private final byte code;

    Origin(int code) {
      this.code = (byte) code;
    }

    byte code() {
      return code;
    }
  }

  private final Origin origin;
  private final ByteString bytes;
  private final int times;

  private DataKey(Origin origin, ByteString bytes, int times) {
    this.origin = origin;
    this.bytes = bytes;
    this.times = times;
  }

  /**
   * A text that is another one for other data; it stays on the device.
   *
   * @param text from 1 to {@value #MAX_BYTES} bytes of UTF-8
   * @throws IllegalArgumentException if it is empty, longer or no Unicode
   */
  public static DataKey of(String text) {
    if (!GradientReports.isUnicode(text)) {
      throw new IllegalArgumentException(
          "the key has half of a surrogate pair; it must be Unicode, since all halves have the same"
              + " bytes of UTF-8");
    }
    ByteString bytes = ByteString.copyFrom(text, UTF_8);
    if (bytes.isEmpty() || bytes.size() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the key has " + bytes.size() + " bytes of UTF-8; it must have 1 to " + MAX_BYTES);
    }
    return new DataKey(Origin.TEXT, bytes, 1);
  }

  /** The digest of data in numbers: the same numbers in the same order are the same data. */
  public static DataKey digestOf(double... data) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(data.length, Double.BYTES));
    for (double value : data) {
      bytes.putDouble(value);
    }
    return digestOf(bytes.array());
  }

  /** The digest of data in bytes. */
  public static DataKey digestOf(byte[] data) {
    return new DataKey(Origin.DIGEST, ByteString.copyFrom(Digests.sha256().digest(data)), 1);
  }

  /**
   * The same key, for data that each model may be sent several times; every time spends.
   *
   * @param times how often in all, earlier reports included; at least 1
   */
  public DataKey times(int times) {
    if (times < 1) {
      throw new IllegalArgumentException("times is " + times + "; it must be at least 1");
    }
    return new DataKey(origin, bytes, times);
  }

  /** How often the data may be reported to each model. */
  public int times() {
    return times;
  }

  Origin origin() {
    return origin;
  }

  ByteString bytes() {
    return bytes;
  }

  /** Contains nothing of the data. */
  @Override
  public String toString() {
    return "DataKey[times=" + times + "]";
  }
}
