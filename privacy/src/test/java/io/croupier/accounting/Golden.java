package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Reference values computed independently with at least 60 digits. */
public final class Golden {
  /** Relative tolerance for closed forms. */
  static final double CLOSED_FORM = 1e-10;

  /** Relative tolerance where a search is involved. */
  static final double SEARCH = 1e-9;

  private static final JsonNode ACCOUNTING = read("accounting.json");

  private Golden() {}

  /** The cases under a key; asserts their number. */
  public static JsonNode cases(String key, int count) {
    return cases(ACCOUNTING, key, count);
  }

  /** The same, of a part of a file. */
  public static JsonNode cases(JsonNode golden, String key, int count) {
    JsonNode cases = golden.get(key);
    assertThat(cases).as(key).hasSize(count);
    return cases;
  }

  public static JsonNode read(String file) {
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

  /** The rows of a table of numbers, without comments. */
  static List<double[]> rows(String file) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Golden.class.getResourceAsStream("/golden/" + file), StandardCharsets.UTF_8))) {
      return reader
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(
              line -> Arrays.stream(line.split(",", -1)).mapToDouble(Double::parseDouble).toArray())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void assertRelative(Object what, double actual, double expected, double tolerance) {
    assertThat(Math.abs(actual - expected))
        .as("%s: %s must be %s", what, actual, expected)
        .isLessThanOrEqualTo(tolerance * Math.abs(expected));
  }
}
