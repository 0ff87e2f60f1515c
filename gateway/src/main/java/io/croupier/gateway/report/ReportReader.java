package io.croupier.gateway.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.util.JsonFormat;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a report in Protobuf or its JSON mapping. Time and memory are proportional to the number of
 * bytes. No message quotes a value.
 */
final class ReportReader {
  private static final Parser<GradientReport> PROTOBUF =
      DiscardUnknownFieldsParser.wrap(GradientReport.parser());

  private static final JsonFormat.Parser JSON = JsonFormat.parser();

  /** Enough for every double and id; the conversion of longer numbers takes quadratic time. */
  private static final int LONGEST_VALUE = 1200;

  /** Lists of integers of 32 bits. */
  private static final Set<String> INTEGERS = Set.of("grid.values", "sparse.indices");

  private static final int LONGEST_INTEGER = 10;

  private static final Pattern SEED = Pattern.compile("\\d{1,20}");
  private static final Pattern UNKNOWN_FIELD =
      Pattern.compile("Cannot find field: ([A-Za-z_][A-Za-z0-9_]{0,40}) in message");

  private ReportReader() {}

  /**
   * Reads Protobuf.
   *
   * @throws ProblemException if the bytes aren't a report
   */
  static GradientReport protobuf(byte[] body) {
    try {
      return PROTOBUF.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw malformed("the body is not a GradientReport in Protobuf's encoding");
    }
  }

  /**
   * Reads the JSON mapping.
   *
   * @throws ProblemException if the bytes aren't a report
   */
  static GradientReport json(byte[] body) {
    String text = new String(body, UTF_8);
    requireBoundedValues(text);
    GradientReport.Builder report = GradientReport.newBuilder();
    try {
      JSON.merge(text, report);
    } catch (InvalidProtocolBufferException e) {
      Matcher unknown = UNKNOWN_FIELD.matcher(String.valueOf(e.getMessage()));
      throw malformed(
          unknown.find()
              ? unknown.group(1) + " is no field of a GradientReport"
              : "the body is not a GradientReport in Protobuf's JSON mapping");
    } catch (RuntimeException e) {
      // Gson reports some malformed texts by unchecked exceptions.
      throw malformed("the body is not a GradientReport in Protobuf's JSON mapping");
    }
    return report.build();
  }

  /**
   * Passes over the text once. The parser turns numbers into decimals, and a seed into an integer
   * whatever its exponent: it would compute a billion digits of 1e1000000000. For each integer that
   * isn't written in digits it throws an exception and catches it, which takes microseconds.
   */
  private static void requireBoundedValues(String text) {
    try (JsonReader reader = new JsonReader(new StringReader(text))) {
      reader.setStrictness(Strictness.STRICT);
      Deque<String> objects = new ArrayDeque<>();
      String name = "";
      for (JsonToken token = reader.peek();
          token != JsonToken.END_DOCUMENT;
          token = reader.peek()) {
        switch (token) {
          case BEGIN_ARRAY -> reader.beginArray();
          case END_ARRAY -> reader.endArray();
          case BEGIN_OBJECT -> {
            reader.beginObject();
            objects.push(name);
          }
          case END_OBJECT -> {
            reader.endObject();
            name = objects.pop();
          }
          case NAME -> name = reader.nextName();
          case NUMBER, STRING -> {
            String value = reader.nextString();
            if (value.length() > LONGEST_VALUE) {
              throw malformed("a value is longer than " + LONGEST_VALUE + " characters");
            }
            if (name.equals("seed") && !SEED.matcher(value).matches()) {
              throw malformed("candidate.seed must be a whole number below 2^64");
            }
            String object = objects.isEmpty() ? "" : objects.element();
            if (INTEGERS.contains(object + "." + name) && !isWhole(value)) {
              throw malformed(
                  "%s.%s must be whole numbers, in digits alone".formatted(object, name));
            }
          }
          default -> reader.skipValue();
        }
      }
    } catch (IOException | IllegalStateException e) {
      throw malformed("the body is no JSON");
    }
  }

  /** A sign and at most 10 digits. */
  private static boolean isWhole(String value) {
    int begin = value.startsWith("-") ? 1 : 0;
    if (value.length() == begin || value.length() > begin + LONGEST_INTEGER) {
      return false;
    }
    for (int i = begin; i < value.length(); i++) {
      if (value.charAt(i) < '0' || value.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(ProblemType.MALFORMED, detail);
  }
}
