package io.croupier.accounting.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reference values of an independent implementation, with 50 digits. */
final class Golden {
  private Golden() {}

  static JsonNode cases(String section) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/accounting.json")) {
      return new ObjectMapper().readTree(in).get(section);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
