package io.croupier.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One step of a schedule. It does something only if the world then allows it, so a schedule without
 * some of its steps is a schedule, too.
 *
 * @param entropy the seed of all choices within the step
 */
record Step(StepKind kind, long entropy) {

  /** What happens; the weight is its usual frequency. */
  enum StepKind {
    FOLLOW(8),
    REPORT(16),
    PROGRAM(6),
    NETWORK(14),
    SOURCE(24),
    TASK(40),
    START(4),
    CHECKPOINT(8),
    ACKNOWLEDGE(12),
    NOTIFY(14),
    TIME(6),
    TOKEN(6),
    ACCOUNT(4),
    BACKGROUND(3),
    SPEC(2),
    RESTART_DEVICE(1),
    FAIL_CHECKPOINT(1),
    CRASH(1),
    ZOMBIE(2),
    COMPACT(2),
    RETENTION(2),
    NEW_PROGRESS(1),
    TIMEOUT(2),
    ERASE(1),
    STOP(1),
    OLD_START(1);

    private final int weight;

    StepKind(int weight) {
      this.weight = weight;
    }

    /** Whether it is a fault, or rare: a run has all of these, or few. */
    private boolean isRare() {
      return weight <= 2;
    }
  }

  /**
   * Draws a schedule. The weights of what is rare differ from schedule to schedule by a factor of
   * up to 8, and may be 0.
   */
  static List<Step> schedule(long seed, int steps) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<StepKind, Integer> weights = new EnumMap<>(StepKind.class);
    int total = 0;
    for (StepKind kind : StepKind.values()) {
      int factor = kind.isRare() ? (1 << random.nextInt(5)) >> 1 : 4;
      weights.put(kind, kind.weight * factor);
      total += kind.weight * factor;
    }
    List<Step> schedule = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      int choice = random.nextInt(total);
      for (Map.Entry<StepKind, Integer> weight : weights.entrySet()) {
        choice -= weight.getValue();
        if (choice < 0) {
          schedule.add(new Step(weight.getKey(), random.nextLong()));
          break;
        }
      }
    }
    return schedule;
  }
}
