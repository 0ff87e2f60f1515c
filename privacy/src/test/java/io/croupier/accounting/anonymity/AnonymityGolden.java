package io.croupier.accounting.anonymity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reference values of windows, computed independently. */
final class AnonymityGolden {
  private AnonymityGolden() {}

  static JsonNode read() {
    try (InputStream in = AnonymityGolden.class.getResourceAsStream("/golden/anonymity.json")) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The cases under a key; asserts their number. */
  static JsonNode cases(String key, int count) {
    JsonNode cases = read().get(key);
    assertThat(cases).as(key).hasSize(count);
    return cases;
  }
}
