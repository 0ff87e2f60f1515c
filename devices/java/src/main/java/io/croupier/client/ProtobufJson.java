package io.croupier.client;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads messages in Protobuf's JSON mapping, in which pages read them: what devices ask without
 * identity is the same for all of them.
 */
final class ProtobufJson {
  private ProtobufJson() {}

  /**
   * Reads a message; skips fields and values of enums that this version doesn't know.
   *
   * @param into receives the fields
   * @throws IllegalArgumentException if the bytes aren't such a message
   */
  static void read(byte[] message, Message.Builder into) {
    try (JsonReader json =
        new JsonReader(new StringReader(new String(message, StandardCharsets.UTF_8)))) {
      readFields(json, into);
    } catch (IOException | IllegalStateException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not a " + into.getDescriptorForType().getName() + " in JSON", e);
    }
  }

  private static void readFields(JsonReader json, Message.Builder into) throws IOException {
    Map<String, FieldDescriptor> fields =
        into.getDescriptorForType().getFields().stream()
            .collect(Collectors.toMap(FieldDescriptor::getJsonName, Function.identity()));
    json.beginObject();
    while (json.hasNext()) {
      FieldDescriptor field = fields.get(json.nextName());
      if (field == null || json.peek() == JsonToken.NULL) {
        json.skipValue();
      } else if (field.isMapField()) {
        readEntries(json, field, into);
      } else if (field.isRepeated()) {
        json.beginArray();
        while (json.hasNext()) {
          value(json, field, into).ifPresent(value -> into.addRepeatedField(field, value));
        }
        json.endArray();
      } else {
        value(json, field, into).ifPresent(value -> into.setField(field, value));
      }
    }
    json.endObject();
  }

  /** Maps have texts as keys. */
  private static void readEntries(JsonReader json, FieldDescriptor map, Message.Builder into)
      throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      Message.Builder entry = into.newBuilderForField(map);
      FieldDescriptor value = map.getMessageType().findFieldByName("value");
      entry.setField(map.getMessageType().findFieldByName("key"), json.nextName());
      value(json, value, entry).ifPresent(of -> entry.setField(value, of));
      into.addRepeatedField(map, entry.build());
    }
    json.endObject();
  }

  /** The value of a field; empty if it is one of an enum that isn't known. */
  private static Optional<Object> value(JsonReader json, FieldDescriptor field, Message.Builder of)
      throws IOException {
    return Optional.ofNullable(
        switch (field.getJavaType()) {
          case BOOLEAN -> json.nextBoolean();
          case INT -> Integer.parseInt(json.nextString());
          case LONG -> Long.parseLong(json.nextString());
          case FLOAT -> Float.parseFloat(json.nextString());
          case DOUBLE -> Double.parseDouble(json.nextString());
          case STRING -> json.nextString();
          case BYTE_STRING -> ByteString.copyFrom(Base64.getDecoder().decode(json.nextString()));
          case ENUM -> field.getEnumType().findValueByName(json.nextString());
          case MESSAGE -> {
            Message.Builder part = of.newBuilderForField(field);
            readFields(json, part);
            yield part.build();
          }
        });
  }
}
