package io.croupier.cli.models;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A models file: a YAML list of {@link ModelSpec}s in the Protobuf JSON mapping. Plain JSON is
 * valid YAML, and {@code 1e-09} is a number. Error messages name file, entry and field.
 */
public final class ModelsFile {

  private ModelsFile() {}

  /**
   * Reads the specs of a file, in its order. Refuses repeated ids, but doesn't validate the specs,
   * and keeps deprecated names, of which {@code models apply} warns.
   */
  public static List<ModelSpec> read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new InputException(file + ": no such file", e);
    } catch (IOException e) {
      throw new InputException(file + ": can't be read: " + e.getMessage(), e);
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
    JsonElement root = YamlJson.parse(name, text);
    if (!root.isJsonArray()) {
      throw new InputException(
          name + ": a models file must be a list in which each entry begins with '- modelId:'");
    }
    List<ModelSpec> specs = new ArrayList<>();
    Set<String> modelIds = new HashSet<>();
    for (JsonElement element : root.getAsJsonArray()) {
      String entry = "%s, entry %d".formatted(name, specs.size() + 1);
      if (!element.isJsonObject()) {
        throw new InputException(entry + ": a model must be a map of fields, not " + element);
      }
      ModelSpec spec = spec(entry, element.getAsJsonObject());
      if (!modelIds.add(spec.getModelId())) {
        throw new InputException(
            "%s: modelId '%s' occurs twice in the file".formatted(entry, spec.getModelId()));
      }
      specs.add(spec);
    }
    return specs;
  }

  private static ModelSpec spec(String entry, JsonObject json) {
    ModelSpec.Builder builder = ModelSpec.newBuilder();
    try {
      JsonFormat.parser().merge(json.toString(), builder);
      return builder.build();
    } catch (InvalidProtocolBufferException e) {
      String field = JsonFields.culprit(ModelSpec.getDescriptor(), json);
      throw new InputException(
          "%s%s: %s".formatted(entry, field.isEmpty() ? "" : ", " + field, e.getMessage()), e);
    }
  }
}
