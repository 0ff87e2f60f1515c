package io.croupier.cli.watch;

import com.google.gson.JsonElement;
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

  private record NamedCount(String name, long count) {}

  /** The names with their counts, the largest first. */
  JsonElement json() {
    return PageNumbers.json(
        counts.entrySet().stream()
            .sorted(
                Comparator.comparing((Map.Entry<String, Long> entry) -> -entry.getValue())
                    .thenComparing(Map.Entry::getKey))
            .map(entry -> new NamedCount(entry.getKey(), entry.getValue()))
            .toList());
  }
}
