package io.croupier.cli.audit;

import java.util.EnumMap;
import java.util.Map;

/** The statistics of one half of the releases, the same number for g and for h. */
final class HalfSample {
  private final Map<Statistic, StatisticValues> ofPlus = new EnumMap<>(Statistic.class);
  private final Map<Statistic, StatisticValues> ofMinus = new EnumMap<>(Statistic.class);
  private final int size;

  HalfSample(int size) {
    this.size = size;
    for (Statistic statistic : Statistic.values()) {
      ofPlus.put(statistic, new StatisticValues(size));
      ofMinus.put(statistic, new StatisticValues(size));
    }
  }

  /** The number of releases of each gradient. */
  int size() {
    return size;
  }

  /** Records the {@code i}-th release of g, if {@code sign} is 1, or of h. */
  void set(int sign, int i, int[] released, NeighbouringPair pair) {
    (sign > 0 ? ofPlus : ofMinus)
        .forEach((statistic, values) -> values.set(i, statistic.of(released, pair)));
  }

  /** The values of a statistic for the releases of g, if {@code sign} is 1, or of h. */
  StatisticValues values(Statistic statistic, int sign) {
    return (sign > 0 ? ofPlus : ofMinus).get(statistic);
  }

  /** The number of releases of g, if {@code sign} is 1, or of h, that are in the event. */
  int count(Event event, int sign) {
    return values(event.statistic(), sign).count(event);
  }
}
