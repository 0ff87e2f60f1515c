package io.croupier.cli.replay;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.Descriptors.Descriptor;
import io.croupier.cli.models.JsonFields;
import io.croupier.schemas.VisibleText;

/** Inspects lines of JSON without using their values. */
final class JsonLine {

  private JsonLine() {}

  /** Whether the line is an object with a field of the given name. */
  static boolean has(String line, String field) {
    try {
      return JsonParser.parseString(line) instanceof JsonObject object && object.has(field);
    } catch (JsonParseException e) {
      return false;
    }
  }

  /** The reason why the line can't be parsed as a message of {@code type}; contains no value. */
  static String reason(Descriptor type, String line) {
    JsonElement json;
    try {
      json = JsonParser.parseString(line);
    } catch (JsonParseException e) {
      return "the line is not JSON";
    }
    if (!(json instanceof JsonObject object)) {
      return "the line is not a JSON object";
    }
    String culprit = JsonFields.culprit(type, object);
    return culprit.isEmpty()
        ? "the line sets fields of %s that exclude each other".formatted(type.getName())
        : "%s is not a field of %s, or its value is invalid in the Protobuf JSON mapping"
            .formatted(VisibleText.name(culprit), type.getName());
  }
}
