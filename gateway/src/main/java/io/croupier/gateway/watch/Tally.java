package io.croupier.gateway.watch;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts by name, for a bounded number of names: later ones count as {@value #OTHERS}. Not safe for
 * use by several threads.
 */
final class Tally {
  static final String OTHERS = "others";

  private final int most;
  private final Map<String, Long> counts = new HashMap<>();

  Tally(int most) {
    this.most = most;
  }

  void add(String name) {
    String counted = counts.containsKey(name) || counts.size() < most ? name : OTHERS;
    counts.merge(counted, 1L, Long::sum);
  }

  long sum() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The names with their counts, the largest first. */
  JsonArray json() {
    JsonArray json = new JsonArray();
    counts.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<String, Long> entry) -> -entry.getValue())
                .thenComparing(Map.Entry::getKey))
        .forEach(
            entry -> {
              JsonObject object = new JsonObject();
              object.addProperty("name", entry.getKey());
              object.addProperty("count", entry.getValue());
              json.add(object);
            });
    return json;
  }
}
