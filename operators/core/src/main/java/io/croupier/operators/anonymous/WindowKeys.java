package io.croupier.operators.anonymous;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.GradientReports;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

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
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

  private final Map<String, OfModel> models = new HashMap<>();

  private static final class OfModel {
    /** All windows up to this one are closed. */
    private long closed = -1;

    /** Moduli by windows and digests. */
    private final TreeMap<Long, Map<String, byte[]>> windows = new TreeMap<>();
  }

  /** A window of a model. */
  public record Window(String modelId, long window) {
    /** Returns the name by which state knows the window. */
    public String name() {
      return modelId + SEPARATOR + window;
    }
  }

  /**
   * Returns the key of the record of a window's and a level's public key. It contains the digest of
   * the token's challenge, so a level that is changed, by a later spec under the same name, has
   * another key. Neither model, number nor digest contains a {@code /}, so different keys have
   * different names.
   */
  public static String name(String modelId, long window, Mechanism level) {
    return name(modelId, window, digest(modelId, window, level));
  }

  private static String name(String modelId, long window, String digest) {
    return modelId + SEPARATOR + window + SEPARATOR + digest;
  }

  private static String digest(String modelId, long window, Mechanism level) {
    return HexFormat.of().formatHex(WindowToken.challengeDigest(modelId, window, level));
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
        || !DIGEST.matcher(parts[2]).matches()
        || !WindowToken.isModulus(modulus)) {
      return List.of();
    }
    long window;
    try {
      window = Long.parseLong(parts[1]);
    } catch (NumberFormatException e) {
      return List.of();
    }
    if (window < 0 || !parts[1].equals(Long.toString(window))) {
      return List.of();
    }
    OfModel model = models.computeIfAbsent(parts[0], id -> new OfModel());
    if (window <= model.closed) {
      return List.of();
    }
    model
        .windows
        .computeIfAbsent(window, number -> new TreeMap<>())
        .putIfAbsent(parts[2], modulus.clone());
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
  public byte[] modulus(String modelId, long window, Mechanism level) {
    OfModel model = models.get(modelId);
    return model == null || !model.windows.containsKey(window)
        ? null
        : model.windows.get(window).get(digest(modelId, window, level));
  }

  /** Returns whether a window takes neither keys nor reports any more. */
  public boolean isClosed(String modelId, long window) {
    OfModel model = models.get(modelId);
    return model != null && window <= model.closed;
  }

  /** Returns what to store: keys by their names, and the last closed windows by their models. */
  public Map<String, byte[]> entries() {
    Map<String, byte[]> entries = new TreeMap<>();
    models.forEach(
        (id, model) -> {
          entries.put(id, ByteBuffer.allocate(Long.BYTES).putLong(model.closed).array());
          model.windows.forEach(
              (window, keys) ->
                  keys.forEach(
                      (digest, modulus) -> entries.put(name(id, window, digest), modulus)));
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
