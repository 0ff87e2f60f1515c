package io.croupier.gateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.VisibleText;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads JSON that cannot mean two things (RFC 8259, RFC 7493): one value in UTF-8, without lone
 * surrogates, and each name of an object once. The parser of Protobuf's JSON mapping would take the
 * last of two values, skip what follows the first object, and accept comments and single quotes.
 * Time and memory are proportional to the length of the text. No message quotes a value.
 */
public final class StrictJson {
  private static final JsonFormat.Parser PARSER = JsonFormat.parser();

  /** Enough for every double; the conversion of longer numbers takes quadratic time. */
  private static final int LONGEST_NUMBER = 1200;

  private static final Pattern PRINTED_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,40}");

  private final JsonReader reader;
  private final Descriptor root;

  private StrictJson(String text, Descriptor root) {
    reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    this.root = root;
  }

  /**
   * The text of some bytes.
   *
   * @throws InvalidJsonException if they are not UTF-8
   */
  public static String text(ByteBuffer bytes) throws InvalidJsonException {
    try {
      return UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidJsonException("the text is not UTF-8");
    }
  }

  /** Reads a value of any form. */
  public static JsonElement value(String text) throws InvalidJsonException {
    new StrictJson(text, null).requireOneMeaning();
    return JsonParser.parseString(text);
  }

  /**
   * Reads an object of Protobuf's JSON mapping. The two spellings of a field's name are one name.
   * Integers in lists must be written in digits: the parser throws and catches an exception for
   * each other one, such as 1e2, which takes microseconds.
   */
  public static void merge(String text, Message.Builder message) throws InvalidJsonException {
    try {
      read(text, message);
    } catch (InvalidProtocolBufferException | RuntimeException e) {
      // Gson reports some malformed texts by unchecked exceptions. Their messages quote values.
      throw new InvalidJsonException(unmapped(message.getDescriptorForType(), text));
    }
  }

  static void read(String text, Message.Builder message)
      throws InvalidJsonException, InvalidProtocolBufferException {
    new StrictJson(text, message.getDescriptorForType()).requireOneMeaning();
    PARSER.merge(text, message);
  }

  private static String unmapped(Descriptor type, String text) {
    if (!(JsonParser.parseString(text) instanceof JsonObject object)) {
      return "the text is not a JSON object";
    }
    String culprit = JsonFields.culprit(type, object);
    return culprit.isEmpty()
        ? "the text sets fields of %s that exclude each other".formatted(type.getName())
        : "the value of %s is invalid in Protobuf's JSON mapping"
            .formatted(VisibleText.name(culprit));
  }

  private void requireOneMeaning() throws InvalidJsonException {
    try {
      readValue(root, Optional.empty(), false, "");
      if (reader.peek() == JsonToken.END_DOCUMENT) {
        return;
      }
    } catch (IOException | IllegalStateException e) {
      // The exception below covers this case, too.
    }
    throw new InvalidJsonException("the text is not JSON");
  }

  /**
   * Passes over a value.
   *
   * @param type of an object; null if it is no message
   * @param field whose value it is
   * @param isElement whether it is in a list
   */
  private void readValue(
      Descriptor type, Optional<FieldDescriptor> field, boolean isElement, String path)
      throws IOException, InvalidJsonException {
    switch (reader.peek()) {
      case BEGIN_OBJECT -> readObject(type, field, path);
      case BEGIN_ARRAY -> {
        if (field.isPresent() && (!field.get().isRepeated() || isElement)) {
          // The parser would take the only element of a list for the value.
          throw new InvalidJsonException(path + " must not be a list");
        }
        reader.beginArray();
        while (reader.hasNext()) {
          readValue(type, field, true, path);
        }
        reader.endArray();
      }
      case NUMBER, STRING -> {
        String value = reader.nextString();
        requireUnicode(value);
        if (field.isPresent()) {
          requireForm(value, field.get(), path);
        }
      }
      default -> reader.skipValue();
    }
  }

  private void readObject(Descriptor type, Optional<FieldDescriptor> map, String path)
      throws IOException, InvalidJsonException {
    boolean isMessage = type != null && map.filter(FieldDescriptor::isMapField).isEmpty();
    Set<Object> names = new HashSet<>();
    reader.beginObject();
    while (reader.hasNext()) {
      String name = reader.nextName();
      requireUnicode(name);
      String printed = PRINTED_NAME.matcher(name).matches() ? name : "a name";
      String inner = path.isEmpty() ? printed : path + "." + printed;
      Optional<FieldDescriptor> field = isMessage ? field(type, name) : Optional.empty();
      if (isMessage && field.isEmpty()) {
        throw new InvalidJsonException("%s is no field of a %s".formatted(inner, root.getName()));
      }
      if (!names.add(field.isPresent() ? field.get() : name)) {
        throw new InvalidJsonException(inner + " occurs twice");
      }
      readValue(
          field
              .filter(of -> of.getJavaType() == JavaType.MESSAGE)
              .map(FieldDescriptor::getMessageType)
              .orElse(null),
          field,
          false,
          inner);
    }
    reader.endObject();
  }

  private static Optional<FieldDescriptor> field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getJsonName().equals(name) || field.getName().equals(name))
        .findFirst();
  }

  /** A lone surrogate has no UTF-8: two texts would become one. */
  private static void requireUnicode(String text) throws InvalidJsonException {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!UTF_8.newEncoder().canEncode(text)) {
          throw new InvalidJsonException("a text contains a lone surrogate");
        }
        return;
      }
    }
  }

  private static void requireForm(String value, FieldDescriptor field, String path)
      throws InvalidJsonException {
    JavaType type = field.getJavaType();
    boolean isInteger = type == JavaType.INT || type == JavaType.LONG;
    if ((isInteger || type == JavaType.DOUBLE) && value.length() > LONGEST_NUMBER) {
      throw new InvalidJsonException(
          "%s is longer than %d characters".formatted(path, LONGEST_NUMBER));
    }
    int digits = type == JavaType.INT ? 10 : 19;
    if (isInteger && field.isRepeated() && !isWhole(value, digits)) {
      throw new InvalidJsonException(path + " must be whole numbers, in digits alone");
    }
  }

  /** A sign and some digits. */
  private static boolean isWhole(String value, int mostDigits) {
    int begin = value.startsWith("-") ? 1 : 0;
    if (value.length() == begin || value.length() > begin + mostDigits) {
      return false;
    }
    for (int i = begin; i < value.length(); i++) {
      if (value.charAt(i) < '0' || value.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }
}
