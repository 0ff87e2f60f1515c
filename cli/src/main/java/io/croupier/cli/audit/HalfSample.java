package io.croupier.cli.audit;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** One half of the releases, reduced to the statistics: as many of g as of h. */
final class HalfSample {
  private final Map<Statistic, double[]> ofPlus = new EnumMap<>(Statistic.class);
  private final Map<Statistic, double[]> ofMinus = new EnumMap<>(Statistic.class);
  private final int size;

  HalfSample(int size) {
    this.size = size;
    for (Statistic statistic : Statistic.values()) {
      ofPlus.put(statistic, new double[size]);
      ofMinus.put(statistic, new double[size]);
    }
  }

  /** How many releases it holds of either input. */
  int size() {
    return size;
  }

  /** Keeps the {@code i}-th release of g, if {@code sign} is 1, or of h. */
  void set(int sign, int i, int[] released, NeighbouringPair pair) {
    (sign > 0 ? ofPlus : ofMinus).forEach((statistic, v) -> v[i] = statistic.of(released, pair));
  }

  /** The values of a statistic, of the releases of g, if {@code sign} is 1, or of h. */
  double[] values(Statistic statistic, int sign) {
    return (sign > 0 ? ofPlus : ofMinus).get(statistic);
  }

  /** How many of the releases of the input are in the event. */
  int count(Event event, int sign) {
    return (int)
        Arrays.stream(values(event.statistic(), sign)).filter(value -> event.holds(value)).count();
  }
}
