package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8TextTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "ab", "Zo\u00eb\n1", "\u00ef", "\uFFFD", "a\uFEFF", "\u65e5"})
  void aMarkAtTheBeginningIsNoPartOfTheText(String text) throws IOException {
    for (String marked : List.of(text, "\uFEFF" + text)) {
      Path file = Files.write(directory.resolve("text"), marked.getBytes(UTF_8));
      assertThat(Utf8Text.read(file)).isEqualTo(text);
      byte[] bytes = marked.getBytes(UTF_8);
      assertThat(Utf8Text.withoutMark(new ByteArrayInputStream(bytes)).readAllBytes())
          .isEqualTo(text.getBytes(UTF_8));
      assertThat(Utf8Text.reader(new ByteArrayInputStream(bytes)).lines())
          .containsExactlyElementsOf(text.lines().toList());
    }
  }

  /** Beginnings of a mark are bytes of a text, or none. */
  @Test
  void aPartOfAMarkIsKept() throws IOException {
    for (byte[] bytes :
        new byte[][] {{(byte) 0xEF}, {(byte) 0xEF, (byte) 0xBB}, {(byte) 0xEF, 65}}) {
      assertThat(Utf8Text.withoutMark(new ByteArrayInputStream(bytes)).readAllBytes())
          .isEqualTo(bytes);
    }
  }

  @Test
  void otherBytesAreRefused() throws IOException {
    for (Charset other : List.of(ISO_8859_1, UTF_16, UTF_16LE)) {
      byte[] bytes = "\uFEFFZo\u00eb".getBytes(other);
      Path file = Files.write(directory.resolve("other"), bytes);
      assertThatThrownBy(() -> Utf8Text.read(file)).isInstanceOf(CharacterCodingException.class);
      assertThatThrownBy(() -> Utf8Text.reader(new ByteArrayInputStream(bytes)).readLine())
          .isInstanceOf(CharacterCodingException.class);
    }
  }

  /** A program that writes one short line, and waits for its effect before it writes more. */
  @Test
  void waitsForNoMoreThanTheFirstByte() throws IOException {
    try (PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out)) {
      out.write('7');
      assertThat(Utf8Text.withoutMark(in).read()).isEqualTo('7');
    }
  }
}
