package io.croupier.client.ohttp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Properties;

/** The test vectors of an RFC. */
public record Golden(Properties values) {
  public static Golden of(String rfc) {
    Properties values = new Properties();
    try (Reader in =
        new InputStreamReader(
            Golden.class.getResourceAsStream("/golden/%s.properties".formatted(rfc)), UTF_8)) {
      values.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Golden(values);
  }

  String hex(String name) {
    return Objects.requireNonNull(values.getProperty(name), name);
  }

  byte[] bytes(String name) {
    return HexFormat.of().parseHex(hex(name));
  }
}
