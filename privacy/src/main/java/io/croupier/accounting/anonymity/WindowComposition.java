package io.croupier.accounting.anonymity;

import io.croupier.accounting.numerics.FourierTransform;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The central guarantee of all reports of one person in several windows together, whatever is
 * chosen adaptively within the windows and between them. The number of honest reports and the
 * levels of the windows must not depend on what they published: where they do, the least number and
 * the largest level must stand for all.
 *
 * <p>Each window's loss is put on a grid, by connecting points of its privacy curve by lines over
 * exp(epsilon) [DGKKM22]; losses are added by Fourier transforms [KJPH21]. Never too low: lines are
 * above the curve, which is convex; a Chernoff bound on the losses beyond the grid and a bound on
 * the errors of the transforms are added to delta. At a delta of 1e-6 and up to 1,000 windows, it
 * is too high by less than a relative 1e-4.
 *
 * <p>O(n) for each different window, and O(m log m) for m points, m at most 2^22. Immutable.
 */
public final class WindowComposition {

  /** The most windows. */
  public static final long MOST_WINDOWS = 100_000;

  /** The least delta that {@link #epsilon} takes: below it, rounding errors are too large. */
  public static final double LEAST_DELTA = 1e-10;

  /** Points of the grid in a deviation of the loss of one window. */
  private static final int FINENESS = 80;

  private static final double REACH = 9;
  private static final double BEYOND = 1e-14;
  private static final int LARGEST_SIZE = 1 << 22;

  /** The most steps that the sum is likely to have; the step is larger where it would have more. */
  private static final int MOST_STEPS = 1 << 19;

  /** Of a value of a transform, relative to the sum of the probabilities. */
  private static final double TRANSFORM_ERROR = 32 * 0x1p-50;

  private final double step;
  private final double top;

  /** Probabilities of the sum, the last one that of {@link #top}. */
  private final double[] sums;

  /** What is added to every delta. */
  private final double lost;

  /** Largest loss that is possible. */
  private final double most;

  private WindowComposition(double step, double top, double[] sums, double lost, double most) {
    this.step = step;
    this.top = top;
    this.sums = sums;
    this.lost = lost;
    this.most = most;
  }

  /**
   * Composes windows.
   *
   * @param windows how often each of them happens: at least once, together at most {@link
   *     #MOST_WINDOWS}
   * @throws IllegalArgumentException if there is no window, or too many
   */
  public static WindowComposition of(Map<AnonymousWindow, Long> windows) {
    double count = 0;
    double variance = 0;
    double most = 0;
    for (Map.Entry<AnonymousWindow, Long> entry : windows.entrySet()) {
      long times = entry.getValue();
      if (times < 1) {
        throw new IllegalArgumentException("a window happens " + times + " times, not once");
      }
      double epsilon = entry.getKey().law().epsilon();
      double deviation = Math.min(epsilon, entry.getKey().limitingDeviation());
      count += times;
      variance += times * deviation * deviation;
      most += times * epsilon;
    }
    if (!(count >= 1 && count <= MOST_WINDOWS)) {
      throw new IllegalArgumentException(
          String.format(
              "there are %s windows; there must be from 1 to %s", (long) count, MOST_WINDOWS));
    }
    double all = Math.min(most, variance / 2 + REACH * Math.sqrt(variance));
    double step = Math.max(Math.sqrt(variance / count) / FINENESS, all / MOST_STEPS);
    List<WindowLoss> losses = new ArrayList<>();
    windows.forEach((window, times) -> losses.add(WindowLoss.of(window, times, step)));
    return of(losses, step, most);
  }

  private static WindowComposition of(List<WindowLoss> losses, double step, double most) {
    double mean = 0;
    double variance = 0;
    double reach = 0;
    double infinite = 0;
    for (WindowLoss loss : losses) {
      mean += loss.times * loss.mean();
      variance += loss.times * loss.variance();
      reach += (double) loss.times * loss.half;
      infinite += loss.times * loss.infinite;
    }
    double half = Math.min(reach, Math.abs(mean) + REACH * Math.sqrt(variance) + 1);
    int size = 2;
    while (size < 2 * half + 2) {
      size *= 2;
    }
    double beyond = beyond(losses, size / 2 - 1, variance, reach);
    while (beyond > BEYOND && size < LARGEST_SIZE) {
      size *= 2;
      beyond = beyond(losses, size / 2 - 1, variance, reach);
    }
    double[] sums = new double[size];
    double error = add(losses, sums);
    return new WindowComposition(
        step, (size / 2 - 1) * step, sums, infinite + beyond + error, most);
  }

  /** A bound on the probability of more than so many steps. */
  private static double beyond(
      List<WindowLoss> losses, double steps, double variance, double reach) {
    if (steps >= reach) {
      return 0;
    }
    double least = 0;
    for (int i = 1; i <= 16; i++) {
      double tilt = i / Math.sqrt(variance);
      double log = -tilt * steps;
      for (WindowLoss loss : losses) {
        log += loss.times * loss.logMoment(tilt);
      }
      least = Math.min(least, log);
    }
    return StrictMath.exp(least);
  }

  /**
   * Computes the probabilities of the sum, from -size / 2 steps on. What is below appears at the
   * upper end.
   *
   * @return a bound on the sum of the errors of the upper half
   */
  private static double add(List<WindowLoss> losses, double[] sums) {
    int size = sums.length;
    FourierTransform fourier = new FourierTransform(size);
    double[] logs = new double[size / 2 + 1];
    double[] angles = new double[size / 2 + 1];
    double[] errors = new double[size / 2 + 1];
    for (WindowLoss loss : losses) {
      double[] real = new double[size];
      double[] imaginary = new double[size];
      for (int i = 0; i < loss.probabilities.length; i++) {
        real[Math.floorMod(i - loss.half, size)] += loss.probabilities[i];
      }
      fourier.transform(real, imaginary);
      for (int k = 0; k <= size / 2; k++) {
        double length = Math.sqrt(real[k] * real[k] + imaginary[k] * imaginary[k]);
        length = Math.max(length, TRANSFORM_ERROR);
        logs[k] += loss.times * StrictMath.log(length);
        angles[k] += loss.times * StrictMath.atan2(imaginary[k], real[k]);
        errors[k] += loss.times * TRANSFORM_ERROR / length;
      }
    }
    double[] real = new double[size];
    double[] imaginary = new double[size];
    double error = 0;
    for (int k = 0; k <= size / 2; k++) {
      double value = StrictMath.exp(logs[k]);
      boolean isOwnMirror = k == 0 || k == size / 2;
      // Of the power, and of the last transform.
      double relative = StrictMath.expm1(Math.min(errors[k], 700)) + TRANSFORM_ERROR;
      error += value * relative * (isOwnMirror ? 1 : 2);
      // The conjugate: the forward transform then computes the inverse one.
      real[k] = value * StrictMath.cos(angles[k]);
      imaginary[k] = -value * StrictMath.sin(angles[k]);
      if (!isOwnMirror) {
        real[size - k] = real[k];
        imaginary[size - k] = -imaginary[k];
      }
    }
    fourier.transform(real, imaginary);
    for (int i = 0; i < size; i++) {
      sums[Math.floorMod(i + size / 2, size)] = Math.max(0, real[i] / size);
    }
    // Half of the points, each with an error of the mean.
    return error / 2;
  }

  /**
   * The least epsilon at a delta, rounded up, and at most the sum of the reports' own epsilons.
   *
   * @param delta from {@link #LEAST_DELTA} to 1
   */
  public double epsilon(double delta) {
    if (!(delta >= LEAST_DELTA && delta < 1)) {
      throw new IllegalArgumentException(
          "delta is " + delta + "; it must be from " + LEAST_DELTA + " and below 1");
    }
    if (lost >= delta) {
      return most;
    }
    double likely = 0;
    double unlikely = 0;
    double fall = StrictMath.exp(-step);
    for (int i = sums.length - 1; i >= 0; i--) {
      double loss = top - (sums.length - 1.0 - i) * step;
      // delta at an epsilon from loss - step to loss: likely - exp(epsilon - loss) unlikely
      likely += sums[i];
      unlikely = sums[i] + unlikely * fall;
      if (likely - fall * unlikely + lost > delta) {
        double ratio = (likely + lost - delta) / unlikely;
        double epsilon = loss + StrictMath.log(Math.max(fall, ratio));
        return Math.min(most, Math.max(0, epsilon + 1e-12 * Math.abs(epsilon)));
      }
      if (loss < 0) {
        return 0;
      }
    }
    return most;
  }
}
