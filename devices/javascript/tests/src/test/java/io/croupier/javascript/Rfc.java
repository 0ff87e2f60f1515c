package io.croupier.javascript;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Properties;

/** The test vectors of an RFC, which those of the Java client are, too. */
record Rfc(Properties vectors) {
  static Rfc of(int number) {
    Path file = Path.of("../../java/src/test/resources/golden/rfc%d.properties".formatted(number));
    Properties vectors = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      vectors.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Rfc(vectors);
  }

  String hex(String name) {
    return vectors.getProperty(name, "");
  }

  byte[] bytes(String name) {
    return HexFormat.of().parseHex(hex(name));
  }
}
