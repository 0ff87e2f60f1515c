package io.croupier.accounting.numerics;

/**
 * The discrete Fourier transform of complex sequences whose length is a power of two: y_k is the
 * sum of x_j exp(-2 pi i j k / n), in place, by the radix-2 algorithm [CT65]. The error has an L2
 * norm of at most 2^-50 log2(n) times that of the result [Hig02, Theorem 24.2].
 *
 * <p>Immutable; O(n log n), allocates nothing.
 */
public final class FourierTransform {
  private final int size;
  private final double[] cosines;
  private final double[] sines;

  /**
   * @param size n, a power of two
   */
  public FourierTransform(int size) {
    if (size < 1 || Integer.bitCount(size) != 1) {
      throw new IllegalArgumentException("size is " + size + "; it must be a power of two");
    }
    this.size = size;
    cosines = new double[size / 2];
    sines = new double[size / 2];
    for (int k = 0; k < size / 2; k++) {
      cosines[k] = StrictMath.cos(2 * StrictMath.PI * k / size);
      sines[k] = StrictMath.sin(2 * StrictMath.PI * k / size);
    }
  }

  /** Transforms a sequence, given by its real and imaginary parts. */
  public void transform(double[] real, double[] imaginary) {
    for (int i = 1, j = 0; i < size; i++) {
      int bit = size >> 1;
      for (; (j & bit) != 0; bit >>= 1) {
        j ^= bit;
      }
      j ^= bit;
      if (i < j) {
        swap(real, i, j);
        swap(imaginary, i, j);
      }
    }
    for (int half = 1; half < size; half *= 2) {
      int stride = size / (2 * half);
      for (int from = 0; from < size; from += 2 * half) {
        for (int k = 0; k < half; k++) {
          int low = from + k;
          int high = low + half;
          double cos = cosines[k * stride];
          double sin = sines[k * stride];
          double re = real[high] * cos + imaginary[high] * sin;
          double im = imaginary[high] * cos - real[high] * sin;
          real[high] = real[low] - re;
          imaginary[high] = imaginary[low] - im;
          real[low] += re;
          imaginary[low] += im;
        }
      }
    }
  }

  private static void swap(double[] values, int i, int j) {
    double kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
}
