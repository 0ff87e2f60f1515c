package io.croupier.job.config;

import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A YAML file of settings. The keys of nested maps are joined by dots, and the elements of a list
 * by commas.
 */
public final class SettingsFile {
  private SettingsFile() {}

  /**
   * Reads a file.
   *
   * @return the settings by their dotted keys, in the order of the file
   * @throws IllegalArgumentException if the file can't be read or is no map in YAML, or if a
   *     setting has no value or two
   */
  public static Map<String, String> read(Path file) {
    Map<String, String> settings = new LinkedHashMap<>();
    try {
      Object root = YamlTree.load(file.toString(), Utf8Text.read(file));
      if (root instanceof Map<?, ?> tree) {
        flatten(file, "", tree, settings);
      } else if (root != null) {
        throw new IllegalArgumentException(
            file + " must be a YAML mapping of settings, such as 'parallelism: 2'");
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": " + FileErrors.unreadable(e), e);
    }
    return settings;
  }

  private static void flatten(
      Path file, String prefix, Map<?, ?> tree, Map<String, String> settings) {
    tree.forEach(
        (key, value) -> {
          String name = prefix + key;
          if (value instanceof Map<?, ?> branch) {
            flatten(file, name + ".", branch, settings);
          } else if (settings.put(name, text(file, name, value)) != null) {
            throw new IllegalArgumentException(
                "%s: %s is set twice, nested and with dots in its key; leave one out"
                    .formatted(file, name));
          }
        });
  }

  private static String text(Path file, String name, Object value) {
    if (value == null) {
      // Perhaps a template's variable isn't set: a limit must not vanish by that.
      throw new IllegalArgumentException("%s: %s has no value; leave it out".formatted(file, name));
    }
    if (value instanceof Iterable<?> list) {
      List<String> texts = new ArrayList<>();
      list.forEach(item -> texts.add(text(file, name, item)));
      return String.join(",", texts);
    }
    return value.toString();
  }
}
