package io.croupier.operators.flink.ledger;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.api.common.accumulators.ListAccumulator;

/**
 * What a rebuild has done so far, from the accumulators of its job.
 *
 * @param added the events in the accounts, those before a restart included
 * @param differing those of them since the last restart whose totals are not what the earlier
 *     events add up to
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
  public record AccountedPosition(String topic, int partition, long offset) {}

  /** Copies the list. */
  public RebuildResult {
    highest = List.copyOf(highest);
  }

  /** Reads the accumulators; those that are missing count as empty. */
  public static RebuildResult of(Map<String, Object> accumulators) {
    Set<String> ends = new HashSet<>();
    List<AccountedPosition> highest = new ArrayList<>();
    for (Object entry : (List<?>) accumulators.getOrDefault(COMPLETE, List.of())) {
      String[] parts = ((String) entry).split("/", -1);
      if (parts.length == 2) {
        ends.add((String) entry);
      } else {
        highest.add(
            new AccountedPosition(parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2])));
      }
    }
    return new RebuildResult(
        number(accumulators, ADDED),
        number(accumulators, DIFFERING),
        areAllSubtasks(ends),
        highest);
  }

  /** A job may have fewer subtasks than it was submitted with, so each end states how many. */
  private static boolean areAllSubtasks(Set<String> ends) {
    return IntStream.range(0, ends.size())
            .allMatch(subtask -> ends.contains(end(subtask, ends.size())))
        && !ends.isEmpty();
  }

  private static String end(int subtask, int parallelism) {
    return subtask + "/" + parallelism;
  }

  private static long number(Map<String, Object> accumulators, String name) {
    return (long) accumulators.getOrDefault(name, 0L);
  }

  /**
   * The end of one subtask. A snapshot contains all of its positions or none of them, since it is
   * one accumulator.
   */
  static final class SubtaskEnd {
    private final ListAccumulator<String> entries = new ListAccumulator<>();

    void highest(String topic, int partition, long offset) {
      entries.add(topic + "/" + partition + "/" + offset); // names of topics have no slash
    }

    void register(int subtask, int parallelism, AccumulatorRegistration registration) {
      entries.add(end(subtask, parallelism));
      registration.add(COMPLETE, entries);
    }
  }

  /** Adds an accumulator to a running task. */
  @FunctionalInterface
  interface AccumulatorRegistration {
    void add(String name, ListAccumulator<String> accumulator);
  }
}
