package io.croupier.cli.models;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import io.croupier.gateway.json.JsonFields;
import io.croupier.schemas.NumberText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Compares a map of a YAML file with the fields of a message: which are unknown, and which have
 * values of another type. Faulty fields are removed, so that the rest can be parsed.
 */
final class SpecForm {
  private static final int MOST_EDITS = 3;

  /** Characters of a wrong value in a message. */
  private static final int MOST_QUOTED = 60;

  private static final JsonPrimitive YAML_INFINITY = new JsonPrimitive(".inf");

  /** As the JSON mapping of Protobuf has them; the rules decide where they are allowed. */
  private static final Set<String> NOT_FINITE = Set.of("Infinity", "-Infinity", "NaN");

  private final List<Fault> faults = new ArrayList<>();
  private final Map<String, Integer> lines = new HashMap<>();
  private final Set<String> faulty = new HashSet<>();

  /**
   * What is wrong.
   *
   * @param line from 1
   * @param text a sentence that begins with the field's path
   */
  record Fault(int line, String text) {}

  /**
   * Checks {@code json} and removes its faulty fields.
   *
   * @param node the same map in YAML
   */
  SpecForm(Descriptor type, JsonObject json, Node node) {
    check(type, json, node, "");
  }

  /** The faults in the order of the file. */
  List<Fault> faults() {
    return faults;
  }

  /** The line of the innermost field of a path that the file has; empty if it has none of them. */
  Optional<Integer> line(String path) {
    String known = path;
    while (!known.isEmpty() && !lines.containsKey(known)) {
      int inner = Math.max(known.lastIndexOf('.'), known.lastIndexOf('['));
      known = known.substring(0, Math.max(0, inner));
    }
    return Optional.ofNullable(lines.get(known));
  }

  /** Whether a field, one that contains it, or one of this element of a list was removed. */
  boolean isFaulty(String path) {
    return faulty.stream()
        .anyMatch(
            found ->
                path.equals(found)
                    || path.startsWith(found + ".")
                    || path.startsWith(found + "[")
                    || (path.endsWith("]") && found.startsWith(path + ".")));
  }

  /** Whether a field of the message itself was removed. */
  boolean hasFaultAtTop() {
    return faulty.stream().anyMatch(path -> !path.contains("."));
  }

  private void check(Descriptor type, JsonObject json, Node node, String path) {
    Map<OneofDescriptor, String> chosen = new HashMap<>();
    Set<FieldDescriptor> seen = new HashSet<>();
    for (String key : List.copyOf(json.keySet())) {
      int line = lineOf(node, key);
      FieldDescriptor field = field(type, key);
      String at = path + (field == null ? key : field.getJsonName());
      if (field != null && isNumber(field) && json.get(key).equals(YAML_INFINITY)) {
        json.addProperty(key, "Infinity");
      }
      Optional<String> fault =
          field == null
              ? Optional.of(at + unknown(type, key))
              : seen.add(field)
                  ? fault(field, key, json.get(key), at, chosen)
                  : Optional.of(
                      "%s is set twice, as %s, too"
                          .formatted(field.getJsonName(), field.getName()));
      lines.put(at, line);
      if (fault.isPresent()) {
        faults.add(new Fault(line, fault.get()));
        faulty.add(at);
        if (field == null) {
          // Which is not missing, then.
          nearest(type, key).ifPresent(name -> faulty.add(path + name));
        }
        json.remove(key);
      } else if (isMap(field)) {
        JsonObject member = json.getAsJsonObject(key);
        check(field.getMessageType(), member, valueOf(node, key), at + ".");
      } else if (isListOfMaps(field)) {
        checkList(field.getMessageType(), json.getAsJsonArray(key), valueOf(node, key), at);
      }
    }
  }

  private void checkList(Descriptor type, JsonArray list, Node node, String path) {
    for (int i = 0; i < list.size(); i++) {
      Node element = node instanceof SequenceNode nodes ? nodes.getValue().get(i) : node;
      String at = path + "[" + i + "]";
      lines.put(at, line(element));
      check(type, list.get(i).getAsJsonObject(), element, at + ".");
    }
  }

  private static boolean isMap(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE && !field.isRepeated();
  }

  private static boolean isListOfMaps(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE && field.isRepeated();
  }

  private static boolean isOfMaps(JsonElement value) {
    return value.isJsonArray()
        && value.getAsJsonArray().asList().stream().allMatch(JsonElement::isJsonObject);
  }

  private static boolean isNumber(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT, LONG, FLOAT, DOUBLE -> true;
      default -> false;
    };
  }

  private static boolean hasNumbers(JsonElement value) {
    return value.isJsonArray()
        ? value.getAsJsonArray().asList().stream().allMatch(SpecForm::hasNumbers)
        : NumberText.isNumber(value.getAsString()) || NOT_FINITE.contains(value.getAsString());
  }

  private static Optional<String> fault(
      FieldDescriptor field,
      String key,
      JsonElement value,
      String at,
      Map<OneofDescriptor, String> chosen) {
    boolean isMap = isMap(field);
    if (value instanceof JsonNull) {
      return Optional.of(
          at + " has no value" + (isMap ? ": write %s: {}".formatted(key) : ": leave it out"));
    }
    OneofDescriptor oneof = field.getRealContainingOneof();
    if (oneof != null) {
      String other = chosen.putIfAbsent(oneof, field.getJsonName());
      if (other != null && !other.equals(field.getJsonName())) {
        return Optional.of(
            "%s is set beside %s: only one of %s may be"
                .formatted(at, other, names(oneof.getFields())));
      }
    }
    if (isMap && !value.isJsonObject()) {
      return Optional.of(
          "%s is %s: it must be a map%s"
              .formatted(at, quoted(value), form(field.getMessageType(), key, value)));
    }
    boolean isValid =
        isListOfMaps(field)
            ? isOfMaps(value)
            : JsonFields.parses(field.getContainingType(), key, value)
                && (!isNumber(field) || hasNumbers(value));
    if (!isMap && !isValid) {
      return Optional.of("%s is %s: it must be %s".formatted(at, quoted(value), kind(field)));
    }
    return Optional.empty();
  }

  private static String quoted(JsonElement value) {
    String text = value.toString();
    return text.length() > MOST_QUOTED ? text.substring(0, MOST_QUOTED) + "..." : text;
  }

  private static String form(Descriptor type, String key, JsonElement value) {
    if (type.getFields().isEmpty()) {
      return ": write %s: {}".formatted(key);
    }
    FieldDescriptor named = value.isJsonPrimitive() ? field(type, value.getAsString()) : null;
    return named != null && named.getJavaType() == JavaType.MESSAGE
        ? ": write %s: {%s: {}}".formatted(key, named.getJsonName())
        : " with fields of " + names(type.getFields());
  }

  private static String kind(FieldDescriptor field) {
    String one =
        switch (field.getJavaType()) {
          case INT, LONG -> "a whole number";
          case FLOAT, DOUBLE -> "a number";
          case BOOLEAN -> "true or false";
          case STRING, BYTE_STRING -> "a text";
          case ENUM ->
              "one of "
                  + field.getEnumType().getValues().stream()
                      .filter(value -> value.getNumber() != 0)
                      .map(EnumValueDescriptor::getName)
                      .collect(Collectors.joining(", "));
          case MESSAGE -> "a map with fields of " + names(field.getMessageType().getFields());
        };
    return field.isRepeated() ? "a list, each element " + one : one;
  }

  private static String unknown(Descriptor type, String key) {
    if (type.getFields().isEmpty()) {
      return " is unknown: %s has no settings".formatted(YamlNames.of(type));
    }
    Optional<OneofDescriptor> group =
        type.getOneofs().stream().filter(oneof -> oneof.getName().equals(key)).findFirst();
    if (group.isPresent()) {
      return " is unknown: write one of " + names(group.get().getFields());
    }
    return nearest(type, key)
        .map(" is unknown: did you mean %s?"::formatted)
        .orElse(" is unknown: the fields are " + names(type.getFields()));
  }

  /** The field with a name of a few other letters. */
  private static Optional<String> nearest(Descriptor type, String key) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    String lower = key.toLowerCase(Locale.ROOT);
    return type.getFields().stream()
        .map(FieldDescriptor::getJsonName)
        .min(Comparator.comparingInt(name -> distance.apply(lower, name.toLowerCase(Locale.ROOT))))
        .filter(name -> distance.apply(lower, name.toLowerCase(Locale.ROOT)) <= MOST_EDITS);
  }

  private static String names(List<FieldDescriptor> fields) {
    return fields.stream().map(FieldDescriptor::getJsonName).collect(Collectors.joining(", "));
  }

  private static FieldDescriptor field(Descriptor type, String key) {
    return type.getFields().stream()
        .filter(field -> field.getJsonName().equals(key) || field.getName().equals(key))
        .findFirst()
        .orElse(null);
  }

  private static Optional<NodeTuple> tuple(Node node, String key) {
    return node instanceof MappingNode map
        ? map.getValue().stream()
            .filter(
                tuple ->
                    tuple.getKeyNode() instanceof ScalarNode scalar
                        && scalar.getValue().equals(key))
            .findFirst()
        : Optional.empty();
  }

  private static int lineOf(Node node, String key) {
    return tuple(node, key).map(NodeTuple::getKeyNode).map(SpecForm::line).orElse(line(node));
  }

  private static Node valueOf(Node node, String key) {
    return tuple(node, key).map(NodeTuple::getValueNode).orElse(node);
  }

  /** The line of a node, from 1. */
  static int line(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }
}
