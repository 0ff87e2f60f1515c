package io.croupier.simulation;

import io.croupier.simulation.WorldRun.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Shortens a schedule that leads to a finding: it drops steps, many at first and then single ones,
 * as long as the same promise is broken.
 */
final class Shrinker {
  private final long seed;
  private final Supplier<Parts> parts;
  private final int invariant;
  private List<Step> shortest;
  private Outcome outcome;

  private Shrinker(long seed, Supplier<Parts> parts, List<Step> schedule, Outcome outcome) {
    this.seed = seed;
    this.parts = parts;
    this.outcome = outcome;
    invariant = outcome.finding().orElseThrow().invariant();
    shortest = schedule;
  }

  /**
   * Returns what happens in the shortest schedule that is found.
   *
   * @param parts creates the parts of a world anew
   * @param outcome of the seed's whole schedule, with a finding
   */
  static Outcome shrink(long seed, Supplier<Parts> parts, Outcome outcome) {
    Shrinker shrinker = new Shrinker(seed, parts, Step.schedule(seed, WorldRun.STEPS), outcome);
    shrinker.shrink();
    return shrinker.outcome;
  }

  private void shrink() {
    for (int size = shortest.size() / 2; size > 0; size /= 2) {
      for (int from = shortest.size() - size; from >= 0; from -= size) {
        List<Step> shorter = new ArrayList<>(shortest.subList(0, from));
        shorter.addAll(shortest.subList(Math.min(from + size, shortest.size()), shortest.size()));
        Outcome next = WorldRun.run(seed, shorter, parts.get());
        if (next.finding().map(WorldFinding::invariant).orElse(-1) == invariant) {
          shortest = shorter;
          outcome = next;
        }
      }
    }
  }
}
