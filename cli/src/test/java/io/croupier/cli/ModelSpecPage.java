package io.croupier.cli;

import static java.util.stream.Collectors.joining;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import io.croupier.cli.ProtoComments.Comment;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * docs/reference/model-spec.md: every field of a model's spec, from descriptors and their comments.
 */
final class ModelSpecPage {
  private static final String HEAD =
      """
      # The spec of a model

      Every field of a `ModelSpec`. A test compares this page with the rules by which specs are
      checked. It is generated from the comments of
      [croupier.proto](../../schemas/src/main/protobuf/croupier/v1/croupier.proto), whose label
      `Since` names the first release with a field.

      Operators of models publish a file of specs, a list in YAML or JSON, by
      `croupier models apply` ([model.md](../build/model.md) shows how). A small one:

      ```yaml
      - modelId: steps
        dimension: 3
        gradientBound: 1
        combined: {}
      ```

      - A field that is absent has its default. *Required* fields have none. Below each heading are
        the paths at which its fields are written; `{}` is a part without fields.
      - A *name* has 1 to 100 letters, digits, '.', '_' or '-'; a *title* 1 to 100 characters, none
        of them a control character, and no blank at an end.
      - Only a program with write access to the topic `croupier.models` can change the spec of a
        running model. The job takes the changes that the column *may change* allows, without a
        restart. It refuses any other change, and keeps the last valid spec: publish a new model
        instead, with a name of its own.
      - Commands name fields as in the file; the job names them as in Protobuf: `gradient_bound` is
        `gradientBound`.
      """;

  private static final String ROOT_TABLE =
      """
      | field | type | range | default | may change | meaning |
      |---|---|---|---|---|---|
      """;

  private static final String TABLE =
      """
      | field | type | range | default | meaning |
      |---|---|---|---|---|
      """;

  /** An underscore makes the name of a field unmistakable in a sentence. */
  private static final Pattern SNAKE = Pattern.compile("`?\\b([a-z0-9]+(?:_[a-z0-9]+)+)\\b`?");

  private static final Pattern PAGE = Pattern.compile("docs/(\\w+)/([\\w-]+\\.md)");

  private final ProtoComments comments;

  /** Messages with fields, each with the paths at which it occurs, in order of the first. */
  private final Map<Descriptor, List<String>> paths = new LinkedHashMap<>();

  private final Set<String> names = new TreeSet<>();

  ModelSpecPage(ProtoComments comments) {
    this.comments = comments;
    visit(ModelSpec.getDescriptor(), "");
  }

  private void visit(Descriptor message, String path) {
    paths.computeIfAbsent(message, m -> new ArrayList<>()).add(path);
    for (FieldDescriptor field : message.getFields()) {
      names.add(field.getName());
      if (isMessage(field) && !isEmpty(field.getMessageType())) {
        visit(field.getMessageType(), path.isEmpty() ? yaml(field) : path + "." + yaml(field));
      }
    }
  }

  /** The messages that a spec may contain, in the order of the page. */
  Set<Descriptor> messages() {
    return paths.keySet();
  }

  private static boolean isMessage(FieldDescriptor field) {
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
  }

  private static boolean isEmpty(Descriptor message) {
    return message.getFields().isEmpty();
  }

  private static String yaml(FieldDescriptor field) {
    return field.getJsonName();
  }

  String text() {
    StringBuilder page = new StringBuilder(HEAD);
    paths.forEach((message, where) -> section(page, message, where));
    return page.toString();
  }

  private void section(StringBuilder page, Descriptor message, List<String> where) {
    boolean isRoot = message.equals(ModelSpec.getDescriptor());
    page.append("\n## ").append(message.getName()).append("\n\n");
    List<String> paragraphs = new ArrayList<>();
    if (!isRoot) {
      paragraphs.add(where.stream().map(path -> "`" + path + "`").collect(joining(", ")));
    }
    paragraphs.add(prose(comments.of(message).text()));
    for (OneofDescriptor choice : message.getRealOneofs()) {
      paragraphs.add(
          "Exactly one of "
              + choice.getFields().stream()
                  .map(field -> "`" + yaml(field) + "`")
                  .collect(joining(", "))
              + (isRoot ? ", or none of them if the model has `statistics` alone." : "."));
    }
    paragraphs.stream()
        .filter(paragraph -> !paragraph.isEmpty())
        .forEach(paragraph -> page.append(paragraph).append("\n\n"));
    page.append(isRoot ? ROOT_TABLE : TABLE);
    for (FieldDescriptor field : message.getFields()) {
      row(page, field, isRoot);
    }
    for (FieldDescriptor field : message.getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
        page.append('\n');
        for (EnumValueDescriptor value : values(field)) {
          page.append("- `%s`: %s\n".formatted(value.getName(), prose(comments.of(value).line())));
        }
      }
    }
  }

  private void row(StringBuilder page, FieldDescriptor field, boolean isRoot) {
    Comment comment = comments.of(field);
    List<String> cells = new ArrayList<>();
    cells.add("`" + yaml(field) + "`");
    cells.add(type(field));
    cells.add(prose(comment.label("Range")));
    cells.add(field.getRealContainingOneof() == null ? prose(comment.label("Default")) : "");
    if (isRoot) {
      cells.add(prose(comment.label("Changes")));
    }
    cells.add(meaning(field, comment));
    page.append("| ")
        .append(cells.stream().map(cell -> cell.replace("|", "\\|")).collect(joining(" | ")))
        .append(" |\n");
  }

  /** Types without fields have no section, so their comment stands in for that of the field. */
  private String meaning(FieldDescriptor field, Comment comment) {
    boolean isUnsaid = comment.text().isEmpty() && isMessage(field);
    return isUnsaid && isEmpty(field.getMessageType())
        ? prose(comments.of(field.getMessageType()).line())
        : prose(comment.line());
  }

  private static List<EnumValueDescriptor> values(FieldDescriptor field) {
    return field.getEnumType().getValues().stream()
        .filter(value -> value.getNumber() != 0)
        .toList();
  }

  private static String type(FieldDescriptor field) {
    String one =
        switch (field.getJavaType()) {
          case INT, LONG -> "integer";
          case DOUBLE -> "number";
          case STRING -> "text";
          case BOOLEAN -> "boolean";
          case ENUM ->
              values(field).stream()
                  .map(value -> "`" + value.getName() + "`")
                  .collect(joining(" or "));
          case MESSAGE ->
              isEmpty(field.getMessageType())
                  ? "`{}`"
                  : "[%s](#%s)"
                      .formatted(
                          field.getMessageType().getName(),
                          field.getMessageType().getName().toLowerCase(Locale.ROOT));
          case FLOAT, BYTE_STRING -> throw new IllegalStateException("no name for " + field);
        };
    return field.isRepeated() ? "list of " + (isMessage(field) ? one : one + "s") : one;
  }

  /** A comment as Markdown: fields by their names in YAML, pages as links. */
  private String prose(String comment) {
    String named =
        SNAKE
            .matcher(comment)
            .replaceAll(
                name ->
                    names.contains(name.group(1))
                        ? "`" + camel(name.group(1)) + "`"
                        : name.group());
    return PAGE.matcher(named)
        .replaceAll("[$2](../$1/$2)")
        .replace("(../reference/", "(")
        .replace("<", "&lt;")
        .replace("*", "\\*");
  }

  private static String camel(String name) {
    return Pattern.compile("_([a-z0-9])")
        .matcher(name)
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }
}
