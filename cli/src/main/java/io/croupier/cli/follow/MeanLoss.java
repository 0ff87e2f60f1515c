package io.croupier.cli.follow;

import io.croupier.schemas.Estimate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The mean of a loss that is at least 0, each person's loss cut off at a bound b, from estimates of
 * the fraction of people whose loss is above t, for several thresholds t.
 *
 * <p>That mean is the integral of the fraction over t from 0 to b. The fraction decreases in t; it
 * is taken as 1 at 0, as 0 at b, and as linear between two neighbours of 0, the thresholds and b
 * (the trapezoid rule).
 *
 * @param bound b
 * @param mean the integral
 * @param standardError of the mean, by the standard errors of the fractions, which come from
 *     different people
 * @param resolution how far the integral of the true fractions may be from the true mean, whatever
 *     the losses are: half of the largest distance between neighbours
 */
record MeanLoss(double bound, double mean, double standardError, double resolution) {

  /** The normal quantile of a two-sided 95 % interval. */
  static final double QUANTILE = 1.96;

  /**
   * The mean that estimates imply.
   *
   * @param estimates of all questions of a model
   * @param bound b, positive; where absent, the sum of the least and the largest threshold, which
   *     is the bound for thresholds that are symmetric about half of it
   * @return empty unless b is finite, there are at least two thresholds above 0 and below b, and an
   *     estimate for each of them
   */
  static Optional<MeanLoss> of(List<Estimate> estimates, OptionalDouble bound) {
    List<Estimate> above =
        estimates.stream()
            .filter(estimate -> estimate.getQuestion().hasLossAbove() && threshold(estimate) > 0)
            .sorted(Comparator.comparingDouble(MeanLoss::threshold))
            .toList();
    if (above.size() < 2) {
      return Optional.empty();
    }
    double symmetric = threshold(above.get(0)) + threshold(above.get(above.size() - 1));
    double end = bound.orElse(symmetric);
    List<Estimate> below = above.stream().filter(estimate -> threshold(estimate) < end).toList();
    return end == Double.POSITIVE_INFINITY
            || below.size() < 2
            || !below.stream().allMatch(Estimate::hasFraction)
        ? Optional.empty()
        : Optional.of(integral(below, end));
  }

  private static double threshold(Estimate estimate) {
    return estimate.getQuestion().getLossAbove().getThreshold();
  }

  /** The integral for thresholds in increasing order, all above 0 and below {@code bound}. */
  private static MeanLoss integral(List<Estimate> estimates, double bound) {
    int last = estimates.size() - 1;
    double mean = threshold(estimates.get(0)) / 2;
    double error = 0;
    double widest = bound - threshold(estimates.get(last));
    for (int i = 0; i <= last; i++) {
      double before = i == 0 ? 0 : threshold(estimates.get(i - 1));
      double after = i == last ? bound : threshold(estimates.get(i + 1));
      double weight = (after - before) / 2;
      mean += weight * estimates.get(i).getFraction();
      error = Math.hypot(error, weight * estimates.get(i).getStandardError());
      widest = Math.max(widest, threshold(estimates.get(i)) - before);
    }
    return new MeanLoss(bound, mean, error, widest / 2);
  }
}
