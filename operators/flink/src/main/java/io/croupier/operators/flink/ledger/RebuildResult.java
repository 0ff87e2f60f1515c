package io.croupier.operators.flink.ledger;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What a rebuild has done so far, from the accumulators of its job.
 *
 * @param added the events that were added to the accounts
 * @param differing those of them whose totals are not what the earlier events add up to
 * @param complete whether all subtasks have added all events of their users
 * @param highest the highest accounted reports that each subtask knows of which has added all
 *     events, of each source partition
 */
public record RebuildResult(
    long added, long differing, boolean complete, List<AccountedPosition> highest) {
  static final String ADDED = "ledger-rebuild-added";
  static final String DIFFERING = "ledger-rebuild-differing";
  static final String COMPLETE = "ledger-rebuild-complete";

  /**
   * The position of a report.
   *
   * @param offset its offset; in a result, the highest
   */
  public record AccountedPosition(String topic, int partition, long offset)
      implements Serializable {}

  /**
   * What a subtask has found that has added all events of its users. A job may have fewer subtasks
   * than it was submitted with, so each states how many there are.
   */
  record SubtaskEnd(int subtask, int parallelism, List<AccountedPosition> highest)
      implements Serializable {}

  /** Copies the list. */
  public RebuildResult {
    highest = List.copyOf(highest);
  }

  /** Reads the accumulators; those that are missing count as empty. */
  public static RebuildResult of(Map<String, Object> accumulators) {
    List<SubtaskEnd> ends =
        ((List<?>) accumulators.getOrDefault(COMPLETE, List.of()))
            .stream().map(SubtaskEnd.class::cast).toList();
    return new RebuildResult(
        number(accumulators, ADDED),
        number(accumulators, DIFFERING),
        areAllSubtasks(ends),
        ends.stream().flatMap(end -> end.highest().stream()).toList());
  }

  private static boolean areAllSubtasks(List<SubtaskEnd> ends) {
    int parallelism = ends.isEmpty() ? 0 : ends.get(0).parallelism();
    return !ends.isEmpty()
        && ends.stream().allMatch(end -> end.parallelism() == parallelism)
        && ends.stream().map(SubtaskEnd::subtask).distinct().count() == parallelism;
  }

  private static long number(Map<String, Object> accumulators, String name) {
    return (long) accumulators.getOrDefault(name, 0L);
  }
}
