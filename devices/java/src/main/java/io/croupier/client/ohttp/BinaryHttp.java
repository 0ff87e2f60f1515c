package io.croupier.client.ohttp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The parts of which binary messages of known length consist (RFC 9292, section 3), and their
 * padding.
 */
final class BinaryHttp {
  static final int REQUEST = 0;
  static final int RESPONSE = 1;

  /** Numbers below take two bytes with the prefix 01, smaller than 2^6 one. */
  private static final int TWO_BYTES = 1 << 14;

  private static final int FOUR_BYTES = 1 << 30;
  private static final int ONE_BYTE = 1 << 6;

  private BinaryHttp() {}

  /** Appends a number in the variable-length encoding of QUIC (RFC 9000, section 16). */
  static void number(ByteArrayOutputStream out, int number) {
    if (number < ONE_BYTE) {
      out.write(number);
    } else if (number < TWO_BYTES) {
      out.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) (number | 0x4000)).array());
    } else if (number < FOUR_BYTES) {
      out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number | 0x80000000).array());
    } else {
      throw new IllegalArgumentException("a part has %d bytes, too many".formatted(number));
    }
  }

  static void text(ByteArrayOutputStream out, String text) {
    bytes(out, text.getBytes(ISO_8859_1));
  }

  /** Appends header, content and an empty trailer. */
  static void fields(ByteArrayOutputStream out, Map<String, String> header, ByteString content) {
    ByteArrayOutputStream section = new ByteArrayOutputStream();
    header.forEach(
        (name, value) -> {
          text(section, name.toLowerCase(Locale.ROOT));
          text(section, value);
        });
    bytes(out, section.toByteArray());
    bytes(out, content.toByteArray());
    number(out, 0);
  }

  private static void bytes(ByteArrayOutputStream out, byte[] bytes) {
    number(out, bytes.length);
    out.writeBytes(bytes);
  }

  /**
   * A message with zeros after it.
   *
   * @throws IllegalArgumentException if it is longer
   */
  static byte[] padded(ByteArrayOutputStream message, int length) {
    if (message.size() > length) {
      throw new IllegalArgumentException(
          "the message has %d bytes; it must have at most %d".formatted(message.size(), length));
    }
    return Arrays.copyOf(message.toByteArray(), length);
  }

  static int readNumber(ByteBuffer in) {
    byte first = in.get(in.position());
    return switch ((first & 0xff) >> 6) {
      case 0 -> in.get();
      case 1 -> in.getShort() & (TWO_BYTES - 1);
      case 2 -> in.getInt() & (FOUR_BYTES - 1);
      default -> throw new IllegalArgumentException("a number takes eight bytes");
    };
  }

  static String readText(ByteBuffer in) {
    return new String(readBytes(in), ISO_8859_1);
  }

  /** Header names, in small letters, each with its values as one (RFC 9110, section 5.3). */
  static Map<String, String> readHeader(ByteBuffer in) {
    Map<String, String> header = new TreeMap<>();
    // A message may end before empty parts (section 3.8).
    if (in.hasRemaining()) {
      ByteBuffer section = ByteBuffer.wrap(readBytes(in));
      while (section.hasRemaining()) {
        header.merge(
            readText(section).toLowerCase(Locale.ROOT),
            readText(section),
            (first, next) -> first + ", " + next);
      }
    }
    return header;
  }

  /** The content; after it there may be trailers, which are not read, and padding. */
  static ByteString readContent(ByteBuffer in) {
    ByteString content = in.hasRemaining() ? ByteString.copyFrom(readBytes(in)) : ByteString.EMPTY;
    if (in.hasRemaining()) {
      byte[] unused = readBytes(in);
    }
    while (in.hasRemaining()) {
      if (in.get() != 0) {
        throw new IllegalArgumentException("the padding must be zeros");
      }
    }
    return content;
  }

  private static byte[] readBytes(ByteBuffer in) {
    int length = readNumber(in);
    if (length > in.remaining()) {
      throw new IllegalArgumentException("a part is longer than the message");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
