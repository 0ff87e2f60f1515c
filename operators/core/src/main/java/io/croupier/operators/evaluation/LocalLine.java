package io.croupier.operators.evaluation;

import java.util.List;
import java.util.OptionalDouble;

/**
 * The line through estimates of a distribution function, by weighted least squares: the height y at
 * the place c, plus the slope b times the distance u from it.
 *
 * @param place c, the mean threshold; NaN if there is only one
 * @param height y, the mean fraction below
 * @param slope b; NaN if there is only one threshold
 */
record LocalLine(double place, double height, double slope) {

  /**
   * The line through the answers to thresholds in an interval.
   *
   * @param all sorted by threshold
   */
  static LocalLine through(List<AskedThreshold> all, double least, double largest) {
    List<AskedThreshold> near =
        all.stream().filter(a -> a.threshold() >= least && a.threshold() <= largest).toList();
    double mass = 0;
    double places = 0;
    double heights = 0;
    for (AskedThreshold each : near) {
      mass += each.mass();
      places += each.mass() * each.threshold();
      heights += each.below();
    }
    // Of one threshold, the quotient may differ by rounding, and a slope would come out of it.
    boolean isOne =
        near.isEmpty() || near.get(0).threshold() == near.get(near.size() - 1).threshold();
    double place = isOne ? Double.NaN : places / mass;
    double squares = 0;
    double products = 0;
    for (AskedThreshold each : near) {
      double u = each.threshold() - place;
      squares += each.mass() * u * u;
      products += each.below() * u;
    }
    return new LocalLine(place, heights / mass, products / squares);
  }

  /** Where the line has the height {@code level}; empty if it doesn't rise. */
  OptionalDouble crossing(double level) {
    return slope > 0 ? OptionalDouble.of(place + (level - height) / slope) : OptionalDouble.empty();
  }
}
