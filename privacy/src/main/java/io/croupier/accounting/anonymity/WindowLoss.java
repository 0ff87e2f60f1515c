package io.croupier.accounting.anonymity;

import java.util.Arrays;

/**
 * The law of the loss of equal windows, on the multiples of a step: that of the privacy curve with
 * lines over exp(epsilon) between its points there, which is above the window's own [DGKKM22].
 */
final class WindowLoss {
  /** A curve ends where its delta is below that. */
  private static final double NEGLIGIBLE = 1e-20;

  /** Points of a curve that are computed together. */
  private static final int BATCH = 128;

  /** Of the losses from -half to half steps. */
  final double[] probabilities;

  final int half;

  /** Probability of an infinite loss. */
  final double infinite;

  /** Number of the windows. */
  final long times;

  private WindowLoss(double[] probabilities, double infinite, long times) {
    this.probabilities = probabilities;
    this.infinite = infinite;
    this.times = times;
    half = probabilities.length / 2;
  }

  /** Computes the law. */
  static WindowLoss of(AnonymousWindow window, long times, double step) {
    double[] curve = curve(window, step);
    int half = curve.length - 1;
    double[] probabilities = new double[2 * half + 1];
    double sum = curve[half];
    double lift = StrictMath.expm1(step);
    for (int i = 1; i <= half; i++) {
      // Over exp((i - 1) step): the slopes before and after the point i, with the sign reversed.
      double before = (curve[i - 1] - curve[i]) / lift;
      double after = i == half ? 0 : (curve[i] - curve[i + 1]) / (lift * StrictMath.exp(step));
      double probability = Math.max(0, StrictMath.exp(step) * (before - after));
      double mirrored = probability * StrictMath.exp(-i * step);
      probabilities[half + i] = probability;
      probabilities[half - i] = mirrored;
      sum += probability + mirrored;
    }
    probabilities[half] = Math.max(0, 1 - sum);
    return new WindowLoss(probabilities, curve[half], times);
  }

  /** Delta at multiples of the step from 0 on, down to a negligible one. */
  private static double[] curve(AnonymousWindow window, double step) {
    int points = (int) Math.ceil(window.law().epsilon() / step) + 1;
    double[] curve = new double[0];
    while (curve.length < points) {
      int from = curve.length;
      double[] epsilons = new double[Math.min(BATCH, points - from)];
      for (int i = 0; i < epsilons.length; i++) {
        epsilons[i] = (from + i) * step;
      }
      double[] deltas = window.coarseDeltas(epsilons);
      curve = Arrays.copyOf(curve, from + deltas.length);
      System.arraycopy(deltas, 0, curve, from, deltas.length);
      for (int i = Math.max(1, from); i < curve.length; i++) {
        if (curve[i] <= NEGLIGIBLE || curve[i] >= curve[i - 1]) {
          return Arrays.copyOf(curve, i + 1);
        }
      }
    }
    return curve.length > 1 ? curve : new double[] {curve[0], 0};
  }

  /** The logarithm of the mean of exp(tilt loss), without infinite losses; the loss in steps. */
  double logMoment(double tilt) {
    double largest = Math.abs(tilt) * half;
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      sum += probabilities[i] * StrictMath.exp(tilt * (i - half) - largest);
    }
    return largest + StrictMath.log(sum);
  }

  /** In steps. */
  double mean() {
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      sum += probabilities[i] * (i - half);
    }
    return sum;
  }

  /** In squared steps. */
  double variance() {
    double mean = mean();
    double sum = 0;
    for (int i = 0; i < probabilities.length; i++) {
      double distance = i - half - mean;
      sum += probabilities[i] * distance * distance;
    }
    return sum;
  }
}
