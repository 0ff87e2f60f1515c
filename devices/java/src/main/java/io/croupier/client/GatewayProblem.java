package io.croupier.client;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.croupier.schemas.VisibleText;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a gateway states about an error, from a problem document (RFC 9457).
 *
 * @param detail what is wrong, and what would be right, each sentence with its field; in one line
 * @param namesField whether it is about fields of the request's body
 * @param isStop whether it is that the person is stopped
 */
record GatewayProblem(String detail, boolean namesField, boolean isStop) {
  /** The media type of problem documents. */
  static final String MEDIA_TYPE = "application/problem+json";

  /** How a gateway's types begin; other servers have others. */
  private static final String TYPES = "urn:croupier:problem:";

  private static final String STOPPED = TYPES + "stopped";

  private static final int LONGEST_DETAIL = 1000;

  /** Reads a document; empty if it is none of a gateway. */
  static Optional<GatewayProblem> read(byte[] document) {
    Reading reading = new Reading();
    try (JsonReader json =
        new JsonReader(new StringReader(new String(document, StandardCharsets.UTF_8)))) {
      reading.read(json);
    } catch (IOException | IllegalStateException e) {
      // No JSON object.
      return Optional.empty();
    }
    return reading.type.startsWith(TYPES)
        ? Optional.of(
            new GatewayProblem(
                line(reading.sentence()), !reading.fields.isEmpty(), reading.type.equals(STOPPED)))
        : Optional.empty();
  }

  private static String line(String text) {
    String printable = VisibleText.line(text);
    return printable.substring(0, Math.min(printable.length(), LONGEST_DETAIL));
  }

  private static final class Reading {
    private String type = "";
    private String title = "";
    private String detail = "";
    private final List<String> fields = new ArrayList<>();

    String sentence() {
      if (!fields.isEmpty()) {
        return String.join("; ", fields);
      }
      return detail.isEmpty() ? title : detail;
    }

    void read(JsonReader json) throws IOException {
      json.beginObject();
      while (json.hasNext()) {
        switch (json.nextName()) {
          case "type" -> type = text(json);
          case "title" -> title = text(json);
          case "detail" -> detail = text(json);
          case "errors" -> readFields(json);
          default -> json.skipValue();
        }
      }
      json.endObject();
    }

    private void readFields(JsonReader json) throws IOException {
      json.beginArray();
      while (json.hasNext()) {
        String field = "";
        String wrong = "";
        json.beginObject();
        while (json.hasNext()) {
          switch (json.nextName()) {
            case "field" -> field = text(json);
            case "detail" -> wrong = text(json);
            default -> json.skipValue();
          }
        }
        json.endObject();
        // Most sentences begin with their field.
        fields.add(wrong.startsWith(field + " ") ? wrong : field + ": " + wrong);
      }
      json.endArray();
    }

    private static String text(JsonReader json) throws IOException {
      if (json.peek() == JsonToken.STRING) {
        return json.nextString();
      }
      json.skipValue();
      return "";
    }
  }
}
