package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The comments above the messages, fields and enum values of croupier.proto. Descriptors at run
 * time have none, so this reads the source, one declaration a line as it is written.
 */
final class ProtoComments {
  private static final Pattern BLOCK = Pattern.compile("(?:message|enum|oneof) (\\w+) \\{(})?");
  private static final Pattern MEMBER = Pattern.compile("(?:[\\w<>, .]+ )?(\\w+) = \\d+;");
  private static final Pattern LABEL = Pattern.compile("\\b(Range|Default|Changes|Since): ");

  private final Map<String, Comment> comments = new HashMap<>();

  /**
   * A comment: its sentences, and the labels of its last lines.
   *
   * @param text the lines without labels; empty if there are none
   * @param labels by name, without the full stop
   */
  record Comment(String text, Map<String, String> labels) {
    static final Comment NONE = new Comment("", Map.of());

    private static Comment of(List<String> lines) {
      int end = 0;
      while (end < lines.size() && !LABEL.matcher(lines.get(end)).lookingAt()) {
        end++;
      }
      Map<String, String> labels = new LinkedHashMap<>();
      String labelled = String.join(" ", lines.subList(end, lines.size()));
      Matcher label = LABEL.matcher(labelled);
      String name = null;
      int begin = 0;
      while (label.find()) {
        if (name != null) {
          labels.put(name, value(labelled.substring(begin, label.start())));
        }
        name = label.group(1);
        begin = label.end();
      }
      if (name != null) {
        labels.put(name, value(labelled.substring(begin)));
      }
      return new Comment(String.join("\n", lines.subList(0, end)).strip(), labels);
    }

    private static String value(String sentence) {
      return sentence.strip().replaceAll("\\.$", "");
    }

    /** The text on one line. */
    String line() {
      return text.replaceAll("\n+", " ");
    }

    /** The label, or the empty string. */
    String label(String name) {
      return labels.getOrDefault(name, "");
    }
  }

  private ProtoComments() {}

  static ProtoComments read() throws IOException {
    ProtoComments result = new ProtoComments();
    Deque<String> blocks = new ArrayDeque<>();
    List<String> comment = new ArrayList<>();
    for (String line :
        Files.readAllLines(ROOT.resolve("schemas/src/main/protobuf/croupier/v1/croupier.proto"))) {
      String code = line.strip();
      Matcher block = BLOCK.matcher(code);
      Matcher member = MEMBER.matcher(code);
      if (code.startsWith("//")) {
        comment.add(code.substring(2).strip());
        continue;
      }
      if (block.matches()) {
        // A oneof's members are fields of its message.
        String name = code.startsWith("oneof") ? "" : "." + block.group(1);
        String path = blocks.isEmpty() ? name : blocks.peek() + name;
        if (!name.isEmpty()) {
          result.put(path, comment);
        }
        if (block.group(2) == null) {
          blocks.push(path);
        }
      } else if (member.matches()) {
        result.put(blocks.peek() + "." + member.group(1), comment);
      } else if (code.equals("}")) {
        blocks.pop();
      }
      comment.clear();
    }
    return result;
  }

  private void put(String path, List<String> comment) {
    if (comments.put("croupier.v1" + path, Comment.of(comment)) != null) {
      throw new IllegalStateException(path + " occurs twice");
    }
  }

  private Comment of(String fullName) {
    Comment comment = comments.get(fullName);
    if (comment == null) {
      throw new IllegalStateException("croupier.proto has no " + fullName);
    }
    return comment;
  }

  Comment of(Descriptor message) {
    return of(message.getFullName());
  }

  Comment of(FieldDescriptor field) {
    return of(field.getFullName());
  }

  /** The comment of a value of an enum. */
  Comment of(EnumValueDescriptor value) {
    return of(value.getType().getFullName() + "." + value.getName());
  }
}
