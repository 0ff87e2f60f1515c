package io.croupier.operators.evaluation;

import java.util.List;
import java.util.Optional;

/**
 * The line through estimates of a distribution function, by weighted least squares: the height y at
 * the place c, plus the slope b times the distance u from it.
 *
 * @param place c, the mean threshold; NaN if there is only one
 * @param height y, the mean fraction below
 * @param slope b; NaN if there is only one threshold
 * @param ofHeight the variance of y
 * @param ofBoth the covariance of y and b
 * @param ofSlope the variance of b
 */
record LocalLine(
    double place, double height, double slope, double ofHeight, double ofBoth, double ofSlope) {

  /**
   * The line through the answers to thresholds in an interval, whose variance is that at a level.
   *
   * @param all sorted by threshold
   */
  static LocalLine through(List<AskedThreshold> all, double least, double largest, double level) {
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
    double ofHeight = 0;
    double ofBoth = 0;
    double ofSlope = 0;
    for (AskedThreshold each : near) {
      double u = each.threshold() - place;
      double variance = each.variance(level);
      squares += each.mass() * u * u;
      products += each.below() * u;
      ofHeight += variance;
      ofBoth += variance * u;
      ofSlope += variance * u * u;
    }
    return new LocalLine(
        place,
        heights / mass,
        products / squares,
        ofHeight / mass / mass,
        ofBoth / mass / squares,
        ofSlope / squares / squares);
  }

  /** Where the line may have the height {@code level} [Fie54]; empty if its slope may be 0. */
  Optional<QuantileEstimate> crossing(double level) {
    double z2 = AnswerTally.Z * AnswerTally.Z;
    double square = slope * slope - z2 * ofSlope;
    if (!(slope > 0 && square > 0)) {
      return Optional.empty();
    }
    double excess = height - level;
    double middle = -(slope * excess - z2 * ofBoth) / square;
    double radius =
        Math.sqrt(Math.max(0, middle * middle - (excess * excess - z2 * ofHeight) / square));
    double value = clamp(place - excess / slope);
    return Optional.of(
        new QuantileEstimate(
            value,
            Math.min(value, clamp(place + middle - radius)),
            Math.max(value, clamp(place + middle + radius))));
  }

  private static double clamp(double x) {
    return Math.min(1, Math.max(0, x));
  }
}
