package io.croupier.operators.evaluation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Answers about thresholds with weights by age, and what they imply about a quantile q of level p.
 *
 * <p>The interval needs only that a distribution function doesn't decrease, and that people stay
 * the same. For q &lt;= x to be true, the fraction below each threshold from x on must be at least
 * p. So the answers about those of them that were chosen to be below a quantile of p or a lower
 * level contain, for their fractions, a mean of at least p: a smaller one by {@link AnswerTally#Z}
 * standard errors refutes x. Which thresholds enter depends on no answer about them, so each such
 * test of one x is wrong with a probability of 2.5 %, as the answers become many. The interval
 * begins at the largest threshold up to which each is refuted; if it begins above q, the test of q
 * was wrong. Its end is found likewise.
 */
final class QuantileAnswers {
  /** From how many standard errors on the recent answers differ from all. */
  private static final double DRIFT_Z = 2;

  /** The fraction for the variance of an answer is at least this far from 0 and 1. */
  private static final double LEAST_FRACTION = 0.05;

  private final List<AskedThreshold> sorted;
  private final MonotoneCurve curve;

  /**
   * @param answers of publications that have some
   */
  QuantileAnswers(List<AskedThreshold> answers) {
    sorted = new ArrayList<>(answers);
    sorted.sort(Comparator.comparingDouble(AskedThreshold::threshold));
    curve = new MonotoneCurve(sorted);
  }

  boolean isEmpty() {
    return sorted.isEmpty();
  }

  /** Returns the least place where the monotone curve through the answers reaches a level. */
  double inverse(double level) {
    return curve.inverse(level);
  }

  /**
   * Returns whether answers of the newer half, with the squares of the weights, lie on another side
   * of the curve than all do.
   */
  boolean drift() {
    double mass = 0;
    double newer = 0;
    for (AskedThreshold each : sorted) {
      mass += each.mass();
      newer += each.weight() * each.mass();
    }
    double excess = 0;
    double variance = 0;
    for (AskedThreshold each : sorted) {
      double weight = each.weight() / newer - 1 / mass;
      double fraction = curve.fitted(each.threshold());
      double possible = Math.max(LEAST_FRACTION, Math.min(fraction, 1 - LEAST_FRACTION));
      excess += weight * (each.below() - each.mass() * fraction);
      variance += weight * weight * each.variance(possible);
    }
    return Math.abs(excess) > DRIFT_Z * Math.sqrt(variance);
  }

  /** Returns the standard error of a fraction near a level. */
  double standardError(double level) {
    double mass = 0;
    double variance = 0;
    for (AskedThreshold each : sorted) {
      mass += each.mass();
      variance += each.variance(level);
    }
    return Math.sqrt(variance) / mass;
  }

  /** Returns how many answers of equal weight the weights by age correspond to [Kis65]. */
  long size() {
    double weights = 0;
    double squares = 0;
    for (AskedThreshold each : sorted) {
      weights += each.weight() * each.answers();
      squares += each.weight() * each.weight() * each.answers();
    }
    return squares == 0 ? 0 : Math.round(weights / squares * weights);
  }

  /**
   * Returns the estimate of a quantile: where the line through the answers between two places has
   * its level, or else the curve, but within the interval.
   */
  QuantileEstimate estimate(double level, double least, double largest) {
    double low = low(level);
    double high = Math.max(low, high(level));
    double value = LocalLine.through(sorted, least, largest).crossing(level).orElse(inverse(level));
    return new QuantileEstimate(Math.min(high, Math.max(low, value)), low, high);
  }

  private double low(double level) {
    double low = 0;
    double excess = 0;
    double variance = 0;
    for (int i = sorted.size() - 1; i >= 0; i--) {
      AskedThreshold each = sorted.get(i);
      if (each.isLower() && each.aim() <= level) {
        excess += each.below() - level * each.mass();
        variance += each.variance(level);
      }
      if (i == 0 || sorted.get(i - 1).threshold() != each.threshold()) {
        boolean isRefuted = excess < -AnswerTally.Z * Math.sqrt(variance);
        low = isRefuted ? Math.max(low, each.threshold()) : 0;
      }
    }
    return low;
  }

  private double high(double level) {
    double high = 1;
    double excess = 0;
    double variance = 0;
    for (int i = 0; i < sorted.size(); i++) {
      AskedThreshold each = sorted.get(i);
      if (!each.isLower() && each.aim() >= level) {
        excess += each.below() - level * each.mass();
        variance += each.variance(level);
      }
      if (i + 1 == sorted.size() || sorted.get(i + 1).threshold() != each.threshold()) {
        boolean isRefuted = excess > AnswerTally.Z * Math.sqrt(variance);
        high = isRefuted ? Math.min(high, each.threshold()) : 1;
      }
    }
    return high;
  }
}
