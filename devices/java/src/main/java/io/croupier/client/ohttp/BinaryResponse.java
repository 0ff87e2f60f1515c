package io.croupier.client.ohttp;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * An answer inside an encapsulated one.
 *
 * @param status from 200 to 599
 * @param header names and values
 * @param content the body
 */
public record BinaryResponse(int status, Map<String, String> header, ByteString content) {
  /**
   * Bytes of every answer but long updates: the keys of three windows with eight levels take less.
   */
  public static final int BYTES = 12_288;

  /** The most bytes of an answer; one with a long update has a multiple of {@link #BYTES}. */
  public static final int MOST_BYTES = 4 * BYTES;

  private static final int LEAST_FINAL = 200;

  /**
   * The message, padded to the least multiple of {@link #BYTES}.
   *
   * @throws IllegalArgumentException if it is longer than {@link #MOST_BYTES}
   */
  public byte[] encoded() {
    ByteArrayOutputStream message = unpadded();
    int parts = (message.size() + BYTES - 1) / BYTES;
    return BinaryHttp.padded(message, Math.min(MOST_BYTES, parts * BYTES));
  }

  ByteArrayOutputStream unpadded() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(BinaryHttp.RESPONSE);
    BinaryHttp.number(out, status);
    BinaryHttp.fields(out, header, content);
    return out;
  }

  /**
   * Reads a message of any length.
   *
   * @throws IllegalArgumentException if it is no final response of known length
   */
  public static BinaryResponse parse(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    try {
      if (BinaryHttp.readNumber(in) != BinaryHttp.RESPONSE) {
        throw new IllegalArgumentException("the message must be a response of known length");
      }
      int status = BinaryHttp.readNumber(in);
      if (status < LEAST_FINAL) {
        throw new IllegalArgumentException("the status is " + status + "; it must be a final one");
      }
      return new BinaryResponse(status, BinaryHttp.readHeader(in), BinaryHttp.readContent(in));
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("the message ends within a part", e);
    }
  }
}
