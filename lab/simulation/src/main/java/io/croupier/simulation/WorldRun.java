package io.croupier.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs of worlds. */
final class WorldRun {
  /** Steps of a schedule. */
  static final int STEPS = 400;

  private WorldRun() {}

  /**
   * What a run has led to.
   *
   * @param lines what happened, a line for each event
   * @param events how many events there were, those at the end included
   */
  record Outcome(Optional<WorldFinding> finding, List<String> lines, long events) {}

  /** Runs the schedule of a seed. */
  static Outcome run(long seed, Parts parts) {
    return run(seed, Step.schedule(seed, STEPS), parts);
  }

  /**
   * Runs a schedule.
   *
   * @param seed of the world
   */
  static Outcome run(long seed, List<Step> schedule, Parts parts) {
    List<String> lines = new ArrayList<>();
    World world;
    try {
      world = new World(seed, parts);
    } catch (Exception e) {
      throw new AssertionError("No world of seed " + seed, e);
    }
    try {
      for (Step step : schedule) {
        long at = world.elapsedMs();
        world.apply(step).ifPresent(what -> lines.add("%7d ms  %s".formatted(at, what)));
      }
      lines.add("%7d ms  the faults end".formatted(world.elapsedMs()));
      world.settle();
    } catch (WorldFinding e) {
      return outcome(e, lines, world);
    } catch (Exception | AssertionError e) {
      return outcome(new WorldFinding(0, "An exception: " + e, e), lines, world);
    } finally {
      // Otherwise, the time limit of a request that waits keeps the world.
      world.gateway().end();
    }
    return new Outcome(Optional.empty(), lines, world.checks().counted());
  }

  private static Outcome outcome(WorldFinding finding, List<String> lines, World world) {
    lines.add("%7d ms  FINDING %s".formatted(world.elapsedMs(), finding.getMessage()));
    return new Outcome(Optional.of(finding), lines, world.checks().counted());
  }
}
