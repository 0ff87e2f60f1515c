package io.croupier.cli.audit;

import java.util.Arrays;

/**
 * The values of one statistic for the releases of one gradient. All values are set first, by any
 * threads, each by one; then a single thread asks for counts, in O(log n) each after a sort.
 */
final class StatisticValues {
  private final double[] values;
  private boolean sorted;

  StatisticValues(int size) {
    values = new double[size];
  }

  void set(int i, double value) {
    values[i] = value;
  }

  /** The threshold that {@code inside} values are at or above, or at or below if sign is -1. */
  double threshold(int sign, int inside) {
    sort();
    return values[sign > 0 ? values.length - inside : inside - 1];
  }

  /** The number of values in the event. */
  int count(Event event) {
    sort();
    // The values in the event are the last ones, or the first ones if its sign is -1.
    boolean last = event.sign() > 0;
    int from = 0;
    int to = values.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (event.holds(values[middle]) == last) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return last ? values.length - from : from;
  }

  private void sort() {
    if (!sorted) {
      Arrays.sort(values);
      sorted = true;
    }
  }
}
