package io.croupier.client.ohttp;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * A request inside an encapsulated one.
 *
 * @param authority the gateway's host and port
 * @param path from the slash on
 * @param header names and values
 * @param content the body
 */
public record BinaryRequest(
    String method, String authority, String path, Map<String, String> header, ByteString content) {

  /**
   * Bytes of every request of every device: in one length with the longest report and the longest
   * name of a model, the length says nothing about either.
   */
  public static final int BYTES = 2560;

  private static final String SCHEME = "https";

  /**
   * The message, padded to {@link #BYTES}.
   *
   * @throws IllegalArgumentException if it is longer
   */
  public byte[] encoded() {
    return BinaryHttp.padded(unpadded(), BYTES);
  }

  ByteArrayOutputStream unpadded() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(BinaryHttp.REQUEST);
    BinaryHttp.text(out, method);
    BinaryHttp.text(out, SCHEME);
    BinaryHttp.text(out, authority);
    BinaryHttp.text(out, path);
    BinaryHttp.fields(out, header, content);
    return out;
  }

  /**
   * Reads a message of any length. Its scheme isn't kept.
   *
   * @throws IllegalArgumentException if it is no request of known length
   */
  public static BinaryRequest parse(byte[] message) {
    ByteBuffer in = ByteBuffer.wrap(message);
    try {
      if (BinaryHttp.readNumber(in) != BinaryHttp.REQUEST) {
        throw new IllegalArgumentException("the message must be a request of known length");
      }
      String method = BinaryHttp.readText(in);
      String unused = BinaryHttp.readText(in);
      return new BinaryRequest(
          method,
          BinaryHttp.readText(in),
          BinaryHttp.readText(in),
          BinaryHttp.readHeader(in),
          BinaryHttp.readContent(in));
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("the message ends within a part", e);
    }
  }
}
