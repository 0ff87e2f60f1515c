package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The project's YAML files. */
final class Yaml {
  private Yaml() {}

  /** The documents of a file. */
  static List<Map<String, Object>> documents(String file) throws IOException {
    return parse(Files.readString(Cluster.ROOT.resolve(file), UTF_8));
  }

  /** The documents of a text. */
  static List<Map<String, Object>> parse(String text) {
    List<Map<String, Object>> documents = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
      documents.add(map(document));
    }
    return documents;
  }

  /** The mapping that {@code keys} lead to. */
  @SuppressWarnings("unchecked") // YAML's mappings of our files have strings as keys
  static Map<String, Object> map(Object node, String... keys) {
    Object found = node;
    for (String key : keys) {
      found = ((Map<String, Object>) found).get(key);
    }
    return (Map<String, Object>) found;
  }

  /** The elements of a sequence of mappings. */
  static List<Map<String, Object>> list(Object node) {
    return ((List<?>) node).stream().map(element -> map(element)).toList();
  }
}
