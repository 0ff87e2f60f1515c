package io.croupier.cli.models;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.List;

/** The fields in which two specs of a model differ, with the names of a models file. */
final class SpecDifferences {
  private SpecDifferences() {}

  /** One text for each field: its path, and both values, or which elements of a list differ. */
  static List<String> between(ModelSpec before, ModelSpec after) {
    List<String> differences = new ArrayList<>();
    compare("", before, after, differences);
    return differences;
  }

  private static void compare(String path, Message before, Message after, List<String> found) {
    for (FieldDescriptor field : before.getDescriptorForType().getFields()) {
      Object left = before.getField(field);
      Object right = after.getField(field);
      String name = path + field.getJsonName();
      if (field.isRepeated()) {
        compareLists(name, (List<?>) left, (List<?>) right, found);
      } else if (left instanceof Message one && right instanceof Message other) {
        if (one.getDescriptorForType().getFields().isEmpty()
            && before.hasField(field) != after.hasField(field)) {
          found.add(name + (after.hasField(field) ? " added" : " removed"));
        }
        compare(name + ".", one, other, found);
      } else if (before.hasField(field) != after.hasField(field) || !left.equals(right)) {
        found.add(
            "%s %s -> %s"
                .formatted(
                    name,
                    before.hasField(field) ? left : "none",
                    after.hasField(field) ? right : "none"));
      }
    }
  }

  private static void compareLists(String name, List<?> before, List<?> after, List<String> found) {
    before.stream()
        .filter(element -> !after.contains(element))
        .forEach(element -> found.add("%s without %s".formatted(name, text(element))));
    after.stream()
        .filter(element -> !before.contains(element))
        .forEach(element -> found.add("%s with %s".formatted(name, text(element))));
  }

  /** An element of a list by its name, if it has one. */
  private static String text(Object element) {
    if (!(element instanceof Message message)) {
      return String.valueOf(element);
    }
    FieldDescriptor name = message.getDescriptorForType().findFieldByName("name");
    return name != null && message.hasField(name)
        ? String.valueOf(message.getField(name))
        : "{" + TextFormat.printer().emittingSingleLine(true).printToString(message) + "}";
  }
}
