package io.croupier.accounting;

import io.croupier.accounting.numerics.FourierTransform;
import java.util.Arrays;

/** The transform of the law of a sum, as the logarithm of its size and its angle. */
final class LossSpectrum {
  /** Values below exp(-50) count as 0. */
  private static final double VANISHED = -50;

  private final int size;
  private final FourierTransform fourier;
  private final double[] logs;
  private final double[] angles;

  /** Bounds on the relative errors of the values. */
  private final double[] errors;

  /** Frequencies that have not vanished; of the two signs, only the positive one. */
  private int[] alive;

  LossSpectrum(int size) {
    this.size = size;
    fourier = new FourierTransform(size);
    logs = new double[size / 2 + 1];
    angles = new double[size / 2 + 1];
    errors = new double[size / 2 + 1];
    alive = new int[size / 2 + 1];
    for (int k = 0; k < alive.length; k++) {
      alive[k] = k;
    }
  }

  /** Adds as many losses of this law. */
  void multiply(LossGrid grid, double count) {
    double[] real = new double[alive.length];
    double[] imaginary = new double[alive.length];
    double error = transform(grid, real, imaginary);
    int left = 0;
    for (int n = 0; n < alive.length; n++) {
      int k = alive[n];
      double length = StrictMath.sqrt(real[n] * real[n] + imaginary[n] * imaginary[n]);
      length = Math.max(length, error);
      logs[k] += count * StrictMath.log(length);
      errors[k] += count * error / length;
      angles[k] += count * StrictMath.atan2(imaginary[n], real[n]);
      if (logs[k] > VANISHED) {
        alive[left] = k;
        left++;
      }
    }
    alive = Arrays.copyOf(alive, left);
  }

  /** Computes the values at the frequencies; returns a bound on their errors. */
  private double transform(LossGrid grid, double[] real, double[] imaginary) {
    if ((double) alive.length * grid.probabilities.length < 20.0 * size) {
      directly(grid, real, imaginary);
      return grid.probabilities.length * 0x1p-50;
    }
    double[] re = new double[size];
    double[] im = new double[size];
    for (int i = 0; i < grid.probabilities.length; i++) {
      re[Math.floorMod(grid.first + i, size)] += grid.probabilities[i];
    }
    fourier.transform(re, im);
    for (int n = 0; n < alive.length; n++) {
      real[n] = re[alive[n]];
      imaginary[n] = im[alive[n]];
    }
    return 32 * 0x1p-50;
  }

  private void directly(LossGrid grid, double[] real, double[] imaginary) {
    for (int n = 0; n < alive.length; n++) {
      double angle = -2 * StrictMath.PI * alive[n] / size;
      double cos = StrictMath.cos(angle);
      double sin = StrictMath.sin(angle);
      double re = 0;
      double im = 0;
      // Horner's rule, from the last one.
      for (int i = grid.probabilities.length - 1; i >= 0; i--) {
        double turned = re * cos - im * sin + grid.probabilities[i];
        im = re * sin + im * cos;
        re = turned;
      }
      double first = -2 * StrictMath.PI * Math.floorMod((long) alive[n] * grid.first, size) / size;
      double cosFirst = StrictMath.cos(first);
      double sinFirst = StrictMath.sin(first);
      real[n] = re * cosFirst - im * sinFirst;
      imaginary[n] = re * sinFirst + im * cosFirst;
    }
  }

  /**
   * The probabilities of the losses from a multiple of the step on, each increased by a bound on
   * its error: the mean of those of the values of the spectrum.
   */
  double[] invert(int from) {
    double[] re = new double[size];
    double[] im = new double[size];
    double lost = 0;
    for (int k : alive) {
      double value = StrictMath.exp(logs[k]);
      // The inverse is the transform of the conjugate.
      re[k] = value * StrictMath.cos(angles[k]);
      im[k] = -value * StrictMath.sin(angles[k]);
      if (k > 0 && k < size / 2) {
        re[size - k] = re[k];
        im[size - k] = -im[k];
      }
      lost += 2 * value * StrictMath.expm1(errors[k] + 0x1p-45);
    }
    fourier.transform(re, im);
    double error = lost / size + StrictMath.exp(VANISHED);
    double[] sums = new double[size];
    for (int i = 0; i < size; i++) {
      sums[i] = Math.max(0, re[Math.floorMod(from + i, size)] / size) + error;
    }
    return sums;
  }
}
