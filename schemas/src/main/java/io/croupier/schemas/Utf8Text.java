package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Text as every command and setting is read: UTF-8, with or without a byte order mark, which is no
 * part of the text. Other bytes, such as those of Latin-1 or UTF-16, are an error, since they would
 * become letters that the author didn't write.
 */
public final class Utf8Text {
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private Utf8Text() {}

  /**
   * A reader of text, which throws a {@link CharacterCodingException} at bytes that aren't UTF-8.
   *
   * @throws IOException if the beginning can't be read
   */
  public static BufferedReader reader(InputStream in) throws IOException {
    return new BufferedReader(new InputStreamReader(withoutMark(in), UTF_8.newDecoder()));
  }

  /**
   * The same bytes, but for a byte order mark. Waits for the first byte, and for more at a mark.
   */
  public static InputStream withoutMark(InputStream in) throws IOException {
    PushbackInputStream bytes = new PushbackInputStream(in, MARK.length);
    for (int i = 0; i < MARK.length; i++) {
      int next = bytes.read();
      if (next != (MARK[i] & 0xFF)) {
        if (next >= 0) {
          bytes.unread(next);
        }
        bytes.unread(MARK, 0, i);
        break;
      }
    }
    return bytes;
  }

  /**
   * Reads a file of text.
   *
   * @throws CharacterCodingException if its bytes aren't UTF-8
   */
  public static String read(Path file) throws IOException {
    InputStream bytes = withoutMark(new ByteArrayInputStream(Files.readAllBytes(file)));
    return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.readAllBytes())).toString();
  }
}
