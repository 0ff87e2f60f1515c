package io.croupier.job.config;

import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
   * @throws IllegalArgumentException if the file can't be read, or is no map in YAML
   */
  public static Map<String, String> read(Path file) {
    Map<String, String> settings = new LinkedHashMap<>();
    try {
      Object root = YamlTree.load(file.toString(), Utf8Text.read(file));
      if (root instanceof Map<?, ?> tree) {
        flatten("", tree, settings);
      } else if (root != null) {
        throw new IllegalArgumentException(
            file + " must be a YAML mapping of settings, such as 'parallelism: 2'");
      }
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(file + ": no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s: %s"
              .formatted(
                  file,
                  Files.isDirectory(file)
                      ? "can't be read: it is a directory"
                      : Utf8Text.reason(e)),
          e);
    }
    return settings;
  }

  private static void flatten(String prefix, Map<?, ?> tree, Map<String, String> settings) {
    tree.forEach(
        (key, value) -> {
          String name = prefix + key;
          if (value instanceof Map<?, ?> branch) {
            flatten(name + ".", branch, settings);
          } else if (value instanceof Iterable<?> list) {
            settings.put(name, String.join(",", texts(list)));
          } else {
            settings.put(name, value == null ? "" : value.toString());
          }
        });
  }

  private static List<String> texts(Iterable<?> list) {
    List<String> texts = new ArrayList<>();
    list.forEach(item -> texts.add(String.valueOf(item)));
    return texts;
  }
}
