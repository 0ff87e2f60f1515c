package io.croupier.cli.audit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Looks for the event that tells g from h best. */
final class EventSearch {
  /** Fewer releases than these never bound a probability well. */
  private static final int FEWEST = 8;

  /** From one tried tail to the next: four doublings hold sixteen of them. */
  private static final double GROWTH = Math.pow(2, 0.25);

  private EventSearch() {}

  /**
   * The event with the largest least level in this half. As it was chosen for that, only another
   * half says what it is worth.
   */
  static Event best(PrivacyDefinition guarantee, HalfSample half, double falseAlarm) {
    return candidates(half).stream()
        .max(Comparator.comparingDouble(event -> event.leastLevel(guarantee, half, falseAlarm)))
        .orElseThrow();
  }

  /** Both tails of every statistic, from 8 releases to all of them. */
  private static List<Event> candidates(HalfSample half) {
    List<Event> events = new ArrayList<>();
    for (Statistic statistic : Statistic.values()) {
      for (int sign : new int[] {1, -1}) {
        double[] sorted = half.values(statistic, sign).clone();
        Arrays.sort(sorted);
        for (double tail = FEWEST; tail <= sorted.length; tail *= GROWTH) {
          int inside = (int) tail;
          double threshold = sorted[sign > 0 ? sorted.length - inside : inside - 1];
          events.add(new Event(statistic, sign, threshold));
        }
      }
    }
    return events;
  }
}
