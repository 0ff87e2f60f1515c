package io.croupier.cli.models;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A models file: a YAML list of {@link ModelSpec}s in the Protobuf JSON mapping. Plain JSON is
 * valid YAML. A field's type decides what is a number: a model may be called {@code 1.10}. Error
 * messages name file, line, model and field.
 */
public final class ModelsFile {

  private ModelsFile() {}

  /**
   * Reads the specs of a file, in its order. Refuses repeated ids, but doesn't compare the specs
   * with the rules, and keeps deprecated names, of which {@code models apply} warns.
   *
   * @throws InputException if the file can't be read; the message has a line for each fault
   */
  public static List<ModelSpec> read(Path file) {
    return parse(file.toString(), text(file), spec -> List.of());
  }

  /**
   * Reads the specs of a file, and compares them with all rules for valid specs.
   *
   * @throws InputException also if a spec is not valid
   */
  public static List<ModelSpec> readValid(Path file) {
    return parse(file.toString(), text(file), ModelSpecs::violations);
  }

  /** Requires an id that a model can have: any other one is never published. */
  public static void requireModelId(String id) {
    if (!GradientReports.isModelId(id)) {
      throw new InputException(
          ("--model is '%s'; it must be 1 to 100 letters, digits, '.', '_' or '-', and neither '.'"
                  + " nor '..'")
              .formatted(id));
    }
  }

  private static String text(Path file) {
    try {
      return Utf8Text.read(file);
    } catch (IOException e) {
      throw new InputException(file + ": " + FileErrors.unreadable(e), e);
    }
  }

  /** The text of a file with {@code specs}, in JSON. */
  public static String text(Collection<ModelSpec> specs) {
    return specs.stream().map(ModelsFile::json).collect(Collectors.joining(",\n", "[", "]\n"));
  }

  private static String json(ModelSpec spec) {
    try {
      return JsonFormat.printer().print(spec);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a message without Any has a JSON form", e);
    }
  }

  /** Parses a text; error messages call it {@code name}. */
  static List<ModelSpec> parse(String name, String text) {
    return parse(name, text, spec -> List.of());
  }

  /** The same; {@code rules} returns what is wrong with a spec. */
  static List<ModelSpec> parse(String name, String text, Function<ModelSpec, List<String>> rules) {
    JsonElement root = YamlJson.parse(name, text);
    if (!root.isJsonArray()) {
      throw new InputException(
          name + ": a models file must be a list in which each entry begins with '- modelId:'");
    }
    List<Node> nodes = ((SequenceNode) YamlJson.nodes(name, text)).getValue();
    List<ModelSpec> specs = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    Set<String> modelIds = new HashSet<>();
    for (JsonElement element : root.getAsJsonArray()) {
      Node node = nodes.get(specs.size());
      ModelSpec spec = ModelSpec.getDefaultInstance();
      if (element.isJsonObject()) {
        SpecForm form = new SpecForm(ModelSpec.getDescriptor(), element.getAsJsonObject(), node);
        spec = spec(element.getAsJsonObject());
        faults.addAll(faults(name, spec, node, form, rules.apply(spec)));
        if (!modelIds.add(spec.getModelId()) && !form.isFaulty("modelId")) {
          faults.add(
              "%s, line %d: modelId '%s' occurs twice in the file"
                  .formatted(name, SpecForm.line(node), spec.getModelId()));
        }
      } else {
        faults.add(
            "%s, line %d: a model must be a map of fields, not %s"
                .formatted(name, SpecForm.line(node), element));
      }
      specs.add(spec);
    }
    if (!faults.isEmpty()) {
      throw new InputException(faults, null);
    }
    return specs;
  }

  /** The lines about one entry: its form, and the rules for those of its fields that have one. */
  private static List<String> faults(
      String name, ModelSpec spec, Node node, SpecForm form, List<String> violations) {
    String model = spec.getModelId().isEmpty() ? "" : ", model '%s'".formatted(spec.getModelId());
    List<String> lines = new ArrayList<>();
    form.faults()
        .forEach(
            fault ->
                lines.add("%s, line %d%s: %s".formatted(name, fault.line(), model, fault.text())));
    for (String violation : violations) {
      String sentence = YamlNames.in(violation);
      String path = sentence.split(" ", 2)[0];
      boolean isLearner = violation.startsWith("learner ");
      if (!form.isFaulty(path) && !(isLearner && form.hasFaultAtTop())) {
        lines.add(
            "%s, line %d%s: %s"
                .formatted(name, form.line(path).orElse(SpecForm.line(node)), model, sentence));
      }
    }
    return lines;
  }

  private static ModelSpec spec(JsonObject json) {
    ModelSpec.Builder builder = ModelSpec.newBuilder();
    try {
      JsonFormat.parser().merge(json.toString(), builder);
      return builder.build();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("each field can be parsed, and is set once", e);
    }
  }
}
