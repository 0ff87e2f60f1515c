package io.croupier.operators.anonymous;

import io.croupier.schemas.GradientReports;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The public keys of the windows that are open, and which windows are closed. Gateways publish the
 * keys of window b + 1 once a round of window b is visible, so a window is closed when its model
 * has keys of the third window after it: all of its rounds are older than a window then, and so
 * than max_staleness.
 *
 * <p>The first key of a window and level holds. Not safe for use by several threads.
 */
public final class WindowKeys {
  /** A window is closed by keys of the window that follows it after this many. */
  private static final int OPEN = 3;

  private static final char SEPARATOR = '/';
  private static final int PARTS = 3;

  private final Map<String, OfModel> models = new HashMap<>();

  private static final class OfModel {
    /** All windows up to this one are closed. */
    private long closed = -1;

    private final TreeMap<Long, Map<Integer, byte[]>> windows = new TreeMap<>();
  }

  /** A window of a model. */
  public record Window(String modelId, long window) {
    /** Returns the name by which state knows the window. */
    public String name() {
      return modelId + SEPARATOR + window;
    }
  }

  /** Returns the key of the record of a window's and a level's public key. */
  public static String name(String modelId, long window, int level) {
    return modelId + SEPARATOR + window + SEPARATOR + level;
  }

  /**
   * Takes a public key.
   *
   * @param name as {@link #name} gives it; any other name is ignored
   * @param modulus of the key, {@value WindowToken#KEY_BYTES} bytes, big-endian; one that is even
   *     or whose highest bit isn't 1 is ignored, since no device takes it
   * @return the windows of the model that this closes
   */
  public List<Window> add(String name, byte[] modulus) {
    String[] parts = name.split(String.valueOf(SEPARATOR), -1);
    if (parts.length != PARTS
        || !GradientReports.isModelId(parts[0])
        || !WindowToken.isModulus(modulus)) {
      return List.of();
    }
    long window;
    int level;
    try {
      window = Long.parseLong(parts[1]);
      level = Integer.parseInt(parts[2]);
    } catch (NumberFormatException e) {
      return List.of();
    }
    if (window < 0 || level < 0) {
      return List.of();
    }
    OfModel model = models.computeIfAbsent(parts[0], id -> new OfModel());
    if (window <= model.closed) {
      return List.of();
    }
    model
        .windows
        .computeIfAbsent(window, number -> new TreeMap<>())
        .putIfAbsent(level, modulus.clone());
    return close(parts[0], model, window - OPEN);
  }

  private static List<Window> close(String modelId, OfModel model, long last) {
    List<Window> closed = new ArrayList<>();
    if (last > model.closed) {
      model.closed = last;
      model.windows.headMap(last, true).keySet().forEach(b -> closed.add(new Window(modelId, b)));
      model.windows.headMap(last, true).clear();
    }
    return closed;
  }

  /**
   * Closes every window that has a key. A job without state doesn't know which tokens were spent.
   */
  public void closeAll() {
    models.forEach(
        (id, model) ->
            model.windows.keySet().stream()
                .max(Long::compare)
                .ifPresent(last -> close(id, model, last)));
  }

  /** Returns the modulus of a key; null if the window is closed, or its key isn't known yet. */
  public byte[] modulus(String modelId, long window, int level) {
    OfModel model = models.get(modelId);
    return model == null ? null : model.windows.getOrDefault(window, Map.of()).get(level);
  }

  /** Returns what to store: keys by their names, and the last closed windows by their models. */
  public Map<String, byte[]> entries() {
    Map<String, byte[]> entries = new TreeMap<>();
    models.forEach(
        (id, model) -> {
          entries.put(id, ByteBuffer.allocate(Long.BYTES).putLong(model.closed).array());
          model.windows.forEach(
              (window, keys) ->
                  keys.forEach((level, modulus) -> entries.put(name(id, window, level), modulus)));
        });
    return entries;
  }

  /** Restores an entry of {@link #entries}. */
  public void restore(String name, byte[] value) {
    if (name.indexOf(SEPARATOR) < 0) {
      models.computeIfAbsent(name, id -> new OfModel()).closed = ByteBuffer.wrap(value).getLong();
    } else {
      add(name, value);
    }
  }
}
