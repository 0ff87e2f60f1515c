package io.croupier.cli.models;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names that a spec's fields have in YAML, in place of those of the record. */
public final class YamlNames {
  private static final Pattern WORD = Pattern.compile("\\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\\b");
  private static final String NO_LEARNER = "learner is missing: it must be one of ";
  private static final Map<String, String> NAMES = new HashMap<>();

  static {
    add(ModelSpec.getDescriptor(), new HashSet<>());
  }

  private YamlNames() {}

  private static void add(Descriptor type, Set<Descriptor> seen) {
    if (seen.add(type)) {
      for (FieldDescriptor field : type.getFields()) {
        NAMES.put(field.getName(), field.getJsonName());
        if (field.getJavaType() == JavaType.MESSAGE) {
          add(field.getMessageType(), seen);
        }
      }
    }
  }

  /** Writes the names of fields in a sentence about a spec as a models file has them. */
  public static String in(String sentence) {
    String text = sentence;
    if (text.startsWith(NO_LEARNER)) {
      text =
          "a learner is missing: write combined: {}, or another one of %s"
              .formatted(text.substring(NO_LEARNER.length()));
    }
    return WORD.matcher(text)
        .replaceAll(
            word -> Matcher.quoteReplacement(NAMES.getOrDefault(word.group(), word.group())));
  }

  /** The name of a message's type as that of a field. */
  static String of(Descriptor type) {
    String name = type.getName();
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }
}
