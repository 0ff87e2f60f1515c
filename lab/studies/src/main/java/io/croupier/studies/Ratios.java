package io.croupier.studies;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Positive numbers of which only the ratios matter. */
final class Ratios {
  private final List<Double> values = new ArrayList<>();

  void add(double value) {
    values.add(value);
  }

  int count() {
    return values.size();
  }

  /** NaN if there are none. */
  double geometricMean() {
    return Math.exp(values.stream().mapToDouble(Math::log).average().orElse(Double.NaN));
  }

  /** The smallest value that at least this share of all values doesn't exceed; NaN if none. */
  double quantile(double share) {
    if (values.isEmpty()) {
      return Double.NaN;
    }
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }
}
