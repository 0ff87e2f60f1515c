package io.croupier.cli.audit;

import java.util.ArrayList;
import java.util.List;

/** Searches for the event that best distinguishes g from h. */
final class EventSearch {
  /** Smaller counts never give a good bound on a probability. */
  private static final int FEWEST = 8;

  /** Ratio between successive tail sizes: four sizes per doubling. */
  private static final double GROWTH = Math.pow(2, 0.25);

  private EventSearch() {}

  /**
   * The event with the largest lower bound in this half. Since the choice biases that bound, only
   * the other half gives a valid one.
   */
  static Event best(PrivacyDefinition guarantee, HalfSample half, double falseAlarm) {
    List<Event> events = candidates(half);
    Event best = events.get(0);
    double most = best.count(guarantee, half).leastLevel(falseAlarm);
    for (Event event : events.subList(1, events.size())) {
      double least = event.count(guarantee, half).leastLevel(falseAlarm);
      if (least > most) {
        most = least;
        best = event;
      }
    }
    return best;
  }

  /** Both tails of every statistic, with sizes from 8 releases to all of them. */
  private static List<Event> candidates(HalfSample half) {
    List<Event> events = new ArrayList<>();
    for (Statistic statistic : Statistic.values()) {
      for (int sign : new int[] {1, -1}) {
        StatisticValues values = half.values(statistic, sign);
        for (double tail = FEWEST; tail <= half.size(); tail *= GROWTH) {
          events.add(new Event(statistic, sign, values.threshold(sign, (int) tail)));
        }
      }
    }
    return events;
  }
}
