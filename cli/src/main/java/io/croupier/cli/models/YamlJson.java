package io.croupier.cli.models;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.croupier.cli.InputException;
import io.croupier.job.config.YamlTree;
import java.util.Map;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Converts YAML to JSON. A number keeps its digits, so that a field that is a text gets what the
 * file has.
 */
final class YamlJson {
  private static final Pattern BARE =
      Pattern.compile("true|false|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?");

  private YamlJson() {}

  /** Converts the single document of {@code text}; error messages call it {@code name}. */
  static JsonElement parse(String name, String text) {
    try {
      return json(name, YamlTree.load(name, text));
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  /** The nodes of a text that {@link #parse} accepts and that has a document, with their lines. */
  static Node nodes(String name, String text) {
    LoadSettings settings = LoadSettings.builder().setLabel(name).build();
    return new Compose(settings).composeString(text).orElseThrow();
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
    if (value instanceof String text) {
      return BARE.matcher(text).matches() ? JsonParser.parseString(text) : new JsonPrimitive(text);
    }
    if (value == null) {
      return JsonNull.INSTANCE;
    }
    throw new InputException("%s: '%s' is not allowed in a models file".formatted(name, value));
  }
}
