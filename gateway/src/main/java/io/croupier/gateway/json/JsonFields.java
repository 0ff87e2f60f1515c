package io.croupier.gateway.json;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Map;

/** Finds the field because of which a JSON object can't be parsed as a message. */
public final class JsonFields {

  private JsonFields() {}

  /**
   * The path of the innermost field of {@code json} that can't be parsed as a field of {@code type}
   * even in isolation; empty if every field can.
   */
  static String culprit(Descriptor type, JsonObject json) {
    for (Map.Entry<String, JsonElement> member : json.entrySet()) {
      if (!parses(type, member.getKey(), member.getValue())) {
        FieldDescriptor field = fieldOf(type, member.getKey());
        boolean inside =
            field != null
                && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                && member.getValue().isJsonObject();
        String below =
            inside ? culprit(field.getMessageType(), member.getValue().getAsJsonObject()) : "";
        return below.isEmpty() ? member.getKey() : member.getKey() + "." + below;
      }
    }
    return "";
  }

  /** Whether a field can be parsed in isolation. */
  public static boolean parses(Descriptor type, String key, JsonElement value) {
    JsonObject alone = new JsonObject();
    alone.add(key, value);
    return parses(type, alone);
  }

  private static boolean parses(Descriptor type, JsonObject json) {
    try {
      StrictJson.read(json.toString(), DynamicMessage.newBuilder(type));
      return true;
    } catch (InvalidJsonException | InvalidProtocolBufferException | RuntimeException e) {
      return false;
    }
  }

  private static FieldDescriptor fieldOf(Descriptor type, String jsonName) {
    return type.getFields().stream()
        .filter(field -> field.getJsonName().equals(jsonName) || field.getName().equals(jsonName))
        .findFirst()
        .orElse(null);
  }
}
