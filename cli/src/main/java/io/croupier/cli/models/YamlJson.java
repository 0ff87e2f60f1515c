package io.croupier.cli.models;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.croupier.cli.InputException;
import io.croupier.job.config.YamlTree;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.LoadSettingsBuilder;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Converts YAML 1.2 to JSON. Infinities and NaN become the strings that the Protobuf JSON mapping
 * uses for them.
 */
final class YamlJson {

  private YamlJson() {}

  /** Converts the single document of {@code text}; error messages call it {@code name}. */
  static JsonElement parse(String name, String text) {
    try {
      return json(name, YamlTree.load(settings(), name, text));
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  /** The nodes of a text that {@link #parse} accepts and that has a document, with their lines. */
  static Node nodes(String name, String text) {
    return new Compose(settings().setLabel(name).build()).composeString(text).orElseThrow();
  }

  private static LoadSettingsBuilder settings() {
    return LoadSettings.builder().setSchema(new CoreSchema());
  }

  private static JsonElement json(String name, Object value) {
    if (value instanceof Map<?, ?> map) {
      JsonObject object = new JsonObject();
      map.forEach((key, member) -> object.add(String.valueOf(key), json(name, member)));
      return object;
    }
    if (value instanceof Iterable<?> list) {
      JsonArray array = new JsonArray();
      list.forEach(element -> array.add(json(name, element)));
      return array;
    }
    if (value instanceof Double number && !Double.isFinite(number)) {
      return new JsonPrimitive(number.toString());
    }
    if (value instanceof Number number) {
      return new JsonPrimitive(number);
    }
    if (value instanceof Boolean flag) {
      return new JsonPrimitive(flag);
    }
    if (value instanceof String string) {
      return new JsonPrimitive(string);
    }
    if (value == null) {
      return JsonNull.INSTANCE;
    }
    throw new InputException("%s: '%s' is not allowed in a models file".formatted(name, value));
  }
}
