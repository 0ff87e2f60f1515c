package io.croupier.cli.report;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.croupier.cli.InputException;
import io.croupier.schemas.NumberText;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A gradient on a line of JSON: an array of numbers, or an object with the array as {@code
 * gradient} and optionally the {@code round}, a number or (as Protobuf writes it) a string, and the
 * {@code size}, a number, and the {@code key}, a text that names the data.
 *
 * <p>Coordinates and sizes may be non-finite in any form that programs write: a number too large
 * for a double, {@code null}, or NaN, Infinity and -Infinity, which JSON lacks. All of them are
 * read as NaN. If they were errors, they would end the person's reports and thereby disclose the
 * values.
 *
 * <p>Error messages contain the problem and its place, but no part of the gradient. Exceptions have
 * no causes, since those might quote the line.
 */
final class GradientLine {
  private static final String GRADIENT = "gradient";
  private static final String ROUND = "round";
  private static final String SIZE = "size";
  private static final String KEY = "key";
  private static final String NOT_JSON = "not a JSON array or object";

  /** A JSON number that overflows a double and can't be part of another number. */
  private static final String NOT_FINITE = "-1e999";

  private final int dimension;
  private double[] gradient;
  private Long round;
  private Double size;
  private String key;

  private GradientLine(int dimension) {
    this.dimension = dimension;
  }

  /**
   * Reads a line.
   *
   * @param dimension required length of the gradient
   * @throws InputException if the line is not a gradient of that length
   */
  static GradientLine parse(String text, int dimension) {
    GradientLine line = new GradientLine(dimension);
    JsonReader json = new JsonReader(new StringReader(numbersOfJson(text)));
    json.setStrictness(Strictness.STRICT);
    try {
      if (json.peek() == JsonToken.BEGIN_OBJECT) {
        line.readObject(json);
      } else {
        line.readGradient(json);
      }
      if (json.peek() != JsonToken.END_DOCUMENT) {
        throw new InputException(NOT_JSON);
      }
    } catch (IOException | IllegalStateException e) {
      throw new InputException(NOT_JSON);
    }
    return line;
  }

  /** Replaces the non-JSON numbers. No valid line contains these names anywhere else. */
  private static String numbersOfJson(String text) {
    return text.replace("-Infinity", NOT_FINITE)
        .replace("Infinity", NOT_FINITE)
        .replace("NaN", NOT_FINITE);
  }

  /** Shape [d]; NaN where a number is not finite. */
  double[] gradient() {
    return gradient;
  }

  /** The round of the line, or {@code otherwise} if the line has none. */
  long roundOr(long otherwise) {
    return round == null ? otherwise : round;
  }

  /** The size of the gradient; NaN where it is not finite, empty if the line has none. */
  OptionalDouble size() {
    return size == null ? OptionalDouble.empty() : OptionalDouble.of(size);
  }

  /** The key of the line, if it has one. */
  Optional<String> key() {
    return Optional.ofNullable(key);
  }

  private void readObject(JsonReader json) throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case GRADIENT -> readGradient(json);
        case ROUND -> readRound(json);
        case SIZE -> readSize(json);
        case KEY -> readKey(json);
        default ->
            throw new InputException(
                "unknown field; only '%s', '%s', '%s' and '%s' are allowed"
                    .formatted(GRADIENT, ROUND, SIZE, KEY));
      }
    }
    json.endObject();
    if (gradient == null) {
      throw new InputException(
          "'%s' is missing; it must be an array of %d numbers".formatted(GRADIENT, dimension));
    }
  }

  private void readGradient(JsonReader json) throws IOException {
    requireFirst(GRADIENT, gradient);
    if (json.peek() != JsonToken.BEGIN_ARRAY) {
      throw new InputException(
          "'%s' is not an array; it must be an array of %d numbers".formatted(GRADIENT, dimension));
    }
    gradient = new double[dimension];
    int size = 0;
    json.beginArray();
    for (; json.hasNext(); size++) {
      double value = readNumber(json, "%s[%d]".formatted(GRADIENT, size));
      if (size < dimension) {
        gradient[size] = value;
      }
    }
    json.endArray();
    if (size != dimension) {
      throw new InputException(
          "'%s' has %d numbers; the model has %d coordinates".formatted(GRADIENT, size, dimension));
    }
  }

  private void readSize(JsonReader json) throws IOException {
    requireFirst(SIZE, size);
    size = readNumber(json, SIZE);
  }

  private void readKey(JsonReader json) throws IOException {
    requireFirst(KEY, key);
    if (json.peek() != JsonToken.STRING) {
      throw new InputException("'%s' is not a string".formatted(KEY));
    }
    key = json.nextString();
  }

  private static double readNumber(JsonReader json, String field) throws IOException {
    JsonToken token = json.peek();
    if (token == JsonToken.NULL) {
      json.nextNull();
      return Double.NaN;
    }
    if (token != JsonToken.NUMBER) {
      throw new InputException("'%s' is not a number".formatted(field));
    }
    // nextDouble() would fail on a number that overflows.
    double number = Double.parseDouble(json.nextString());
    return Double.isFinite(number) ? number : Double.NaN;
  }

  private void readRound(JsonReader json) throws IOException {
    requireFirst(ROUND, round);
    JsonToken token = json.peek();
    if (token == JsonToken.NUMBER || token == JsonToken.STRING) {
      try {
        String text = json.nextString();
        round = NumberText.isNumber(text) ? new BigDecimal(text).longValueExact() : -1L;
      } catch (ArithmeticException e) {
        round = -1L;
      }
    }
    if (round == null || round < 0) {
      throw new InputException("'%s' is not a whole number of at least 0".formatted(ROUND));
    }
  }

  private static void requireFirst(String field, Object present) {
    if (present != null) {
      throw new InputException("'%s' occurs twice".formatted(field));
    }
  }
}
