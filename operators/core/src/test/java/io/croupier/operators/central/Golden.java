package io.croupier.operators.central;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reference values computed independently, with 60 digits where they are closed forms. */
final class Golden {
  static final JsonNode TREE = read("tree.json");
  static final JsonNode BLT = read("blt.json");

  private Golden() {}

  private static JsonNode read(String file) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + file)) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static double[] vector(JsonNode node) {
    double[] v = new double[node.size()];
    for (int i = 0; i < v.length; i++) {
      v[i] = node.get(i).asDouble();
    }
    return v;
  }
}
