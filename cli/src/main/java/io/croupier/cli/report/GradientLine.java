package io.croupier.cli.report;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.croupier.cli.InputException;
import java.io.IOException;
import java.io.StringReader;

/**
 * A line of JSON that holds a gradient: an array of numbers, or an object with the array as {@code
 * gradient} and, if it likes, the {@code round}, a number or (as Protobuf writes it) a string.
 *
 * <p>Errors name what is wrong, and where; nothing of the gradient is in their messages, nor in
 * those of their causes, which they therefore lack.
 */
final class GradientLine {
  private static final String GRADIENT = "gradient";
  private static final String ROUND = "round";
  private static final String NOT_JSON =
      "not an array or object of JSON, which has no NaN or Infinity";

  private final int dimension;
  private double[] gradient;
  private Long round;

  private GradientLine(int dimension) {
    this.dimension = dimension;
  }

  /**
   * Reads a line.
   *
   * @param dimension how many numbers the gradient must have
   * @throws InputException if it is something else
   */
  static GradientLine parse(String text, int dimension) {
    GradientLine line = new GradientLine(dimension);
    JsonReader json = new JsonReader(new StringReader(text));
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

  /** Shape [d]. */
  double[] gradient() {
    return gradient;
  }

  /** The round that it names, or {@code otherwise} if it names none. */
  long roundOr(long otherwise) {
    return round == null ? otherwise : round;
  }

  private void readObject(JsonReader json) throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case GRADIENT -> readGradient(json);
        case ROUND -> readRound(json);
        default ->
            throw new InputException(
                "an unknown field; '%s' and '%s' are those that may be there"
                    .formatted(GRADIENT, ROUND));
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
          "'%s' is no array; it must be one of %d numbers".formatted(GRADIENT, dimension));
    }
    gradient = new double[dimension];
    int size = 0;
    json.beginArray();
    for (; json.hasNext(); size++) {
      double value = readNumber(json, size);
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

  private static double readNumber(JsonReader json, int index) throws IOException {
    if (json.peek() == JsonToken.NUMBER) {
      try {
        // One that overflows is an IOException, as every number that is not finite.
        return json.nextDouble();
      } catch (IOException e) {
        throw notFinite(index);
      }
    }
    throw notFinite(index);
  }

  private static InputException notFinite(int index) {
    return new InputException("'%s[%d]' is not a finite number".formatted(GRADIENT, index));
  }

  private void readRound(JsonReader json) throws IOException {
    requireFirst(ROUND, round);
    JsonToken token = json.peek();
    if (token == JsonToken.NUMBER || token == JsonToken.STRING) {
      try {
        round = json.nextLong();
      } catch (NumberFormatException e) {
        round = -1L;
      }
    }
    if (round == null || round < 0) {
      throw new InputException("'%s' is not a whole number of at least 0".formatted(ROUND));
    }
  }

  private static void requireFirst(String field, Object present) {
    if (present != null) {
      throw new InputException("'%s' is there twice".formatted(field));
    }
  }
}
