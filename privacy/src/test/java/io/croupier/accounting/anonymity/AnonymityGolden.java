package io.croupier.accounting.anonymity;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;

/** Reference values of windows, computed independently. */
final class AnonymityGolden {
  static final JsonNode VALUES = Golden.read("anonymity.json");

  private AnonymityGolden() {}

  /** The cases under a key; asserts their number. */
  static JsonNode cases(String key, int count) {
    return Golden.cases(VALUES, key, count);
  }
}
