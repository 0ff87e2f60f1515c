package io.croupier.operators.math;

import io.croupier.operators.report.VectorForm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Vectors in wire format: consecutive little-endian values, in the layouts of {@link VectorForm}.
 * Read in place, without an intermediate array.
 *
 * <p>Multiples of the grid step 2^e are scaled by that power of two, which is exact (a {@code
 * GRID_SUM} beyond 2^53 steps is first rounded to a double).
 *
 * <p>Errors: {@link IllegalArgumentException} if the bytes do not fit the vector; callers must
 * check the range of indices; an index out of range causes an {@link IndexOutOfBoundsException}.
 */
public final class PackedVectors {
  private static final VarHandle DOUBLES =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long EXPONENT = 0x7ff0_0000_0000_0000L;
  private static final long LOWEST_EXPONENT_BIT = 0x0010_0000_0000_0000L;

  /**
   * Block size in doubles: a block stays in the first-level cache between writing and squaring it.
   */
  private static final int BLOCK = 1024;

  private PackedVectors() {}

  /** Returns the number of values in {@code values}. */
  public static int count(VectorForm form, byte[] values) {
    int width = form == VectorForm.GRID ? Integer.BYTES : Double.BYTES;
    if (values.length % width != 0) {
      throw new IllegalArgumentException(
          values.length + " bytes are no whole number of " + form + " values");
    }
    return values.length / width;
  }

  /** Returns the {@code i}-th of consecutive doubles. */
  public static double doubleAt(byte[] values, int i) {
    return (double) DOUBLES.get(values, i * Double.BYTES);
  }

  /** Returns the {@code i}-th of consecutive 64-bit integers. */
  public static long longAt(byte[] values, int i) {
    return (long) LONGS.get(values, i * Long.BYTES);
  }

  /** Sets the {@code i}-th of consecutive 64-bit integers. */
  static void setLong(byte[] values, int i, long value) {
    LONGS.set(values, i * Long.BYTES, value);
  }

  /** Returns the 64-bit integer that begins at a byte. */
  public static long littleEndian(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  /** Returns whether no double is NaN or infinite. */
  public static boolean areFinite(byte[] values) {
    long signs = 0;
    for (int at = 0; at < values.length; at += Double.BYTES) {
      // Only an exponent of all ones carries into the sign.
      signs |= ((long) LONGS.get(values, at) & EXPONENT) + LOWEST_EXPONENT_BIT;
    }
    return signs >= 0;
  }

  /** Returns the {@code i}-th value, in units of the model's weights rather than of the grid. */
  public static double valueAt(VectorForm form, byte[] values, int i, double gridStep) {
    return switch (form) {
      case DENSE, SPARSE, EXAMPLE -> doubleAt(values, i);
      case GRID -> (int) INTS.get(values, i * Integer.BYTES) * gridStep;
      case GRID_SUM, SPARSE_SUM -> longAt(values, i) * gridStep;
      default -> throw noValues(form);
    };
  }

  /** Returns the squared L2 norm of the vector; infinite if it overflows. */
  public static double squaredNorm(VectorForm form, byte[] values, int gridExponent) {
    int n = count(form, values);
    double gridStep = Math.scalb(1.0, gridExponent);
    return switch (form) {
      case DENSE, SPARSE, EXAMPLE -> squaredNormOfDoubles(values, n);
      case GRID -> squaredNormOfInts(values, n, gridStep);
      case GRID_SUM, SPARSE_SUM -> {
        double squares = 0;
        for (int i = 0; i < n; i++) {
          double x = valueAt(form, values, i, gridStep);
          squares += x * x;
        }
        yield squares;
      }
      default -> throw noValues(form);
    };
  }

  /**
   * Each width has its own loop, since a branch inside the loop would cost as much as the
   * arithmetic.
   */
  private static double squaredNormOfDoubles(byte[] values, int n) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i < n - 3; i += 4) {
      double x0 = (double) DOUBLES.get(values, i * Double.BYTES);
      double x1 = (double) DOUBLES.get(values, (i + 1) * Double.BYTES);
      double x2 = (double) DOUBLES.get(values, (i + 2) * Double.BYTES);
      double x3 = (double) DOUBLES.get(values, (i + 3) * Double.BYTES);
      s0 += x0 * x0;
      s1 += x1 * x1;
      s2 += x2 * x2;
      s3 += x3 * x3;
    }
    for (; i < n; i++) {
      double x = (double) DOUBLES.get(values, i * Double.BYTES);
      s0 += x * x;
    }
    return (s0 + s1) + (s2 + s3);
  }

  private static double squaredNormOfInts(byte[] values, int n, double gridStep) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i < n - 3; i += 4) {
      double x0 = (int) INTS.get(values, i * Integer.BYTES) * gridStep;
      double x1 = (int) INTS.get(values, (i + 1) * Integer.BYTES) * gridStep;
      double x2 = (int) INTS.get(values, (i + 2) * Integer.BYTES) * gridStep;
      double x3 = (int) INTS.get(values, (i + 3) * Integer.BYTES) * gridStep;
      s0 += x0 * x0;
      s1 += x1 * x1;
      s2 += x2 * x2;
      s3 += x3 * x3;
    }
    for (; i < n; i++) {
      double x = (int) INTS.get(values, i * Integer.BYTES) * gridStep;
      s0 += x * x;
    }
    return (s0 + s1) + (s2 + s3);
  }

  /**
   * Writes the vector, times {@code factor}, into {@code into}, shape [d], and returns the squared
   * L2 norm of what it wrote. Coordinates that {@code SPARSE} values don't name are not changed.
   *
   * @param indices coordinates of {@code SPARSE} values; otherwise unused
   * @param factor 1 / count turns a sum into a mean
   */
  public static double decode(
      VectorForm form,
      byte[] values,
      int[] indices,
      int gridExponent,
      double factor,
      double[] into) {
    int n = count(form, values);
    if (form == VectorForm.SPARSE || form == VectorForm.SPARSE_SUM) {
      requireCount(indices.length, n);
      double step = Math.scalb(1.0, gridExponent);
      double squares = 0;
      for (int i = 0; i < n; i++) {
        double x = factor * valueAt(form, values, i, step);
        into[indices[i]] = x;
        squares += x * x;
      }
      return squares;
    }
    requireCount(into.length, n);
    double gridStep = Math.scalb(1.0, gridExponent);
    double squares = 0;
    for (int from = 0; from < n; from += BLOCK) {
      int to = Math.min(from + BLOCK, n);
      switch (form) {
        case DENSE, EXAMPLE, SPARSE, SPARSE_SUM -> {
          for (int i = from; i < to; i++) {
            into[i] = factor * (double) DOUBLES.get(values, i * Double.BYTES);
          }
        }
        case GRID -> {
          for (int i = from; i < to; i++) {
            into[i] = factor * ((int) INTS.get(values, i * Integer.BYTES) * gridStep);
          }
        }
        case GRID_SUM -> {
          for (int i = from; i < to; i++) {
            into[i] = factor * ((long) LONGS.get(values, i * Long.BYTES) * gridStep);
          }
        }
        default -> throw noValues(form);
      }
      squares += Vectors.squaredNorm(into, from, to);
    }
    return squares;
  }

  /**
   * Adds 32-bit grid values to {@code sum}, shape [d], exactly. A sum is over fewer than 2^31
   * reports (its count is an int) of at most 2^31 grid steps each, so it stays below 2^62: no
   * overflow.
   */
  public static void addGrid(byte[] values, long[] sum) {
    requireCount(sum.length, count(VectorForm.GRID, values));
    for (int i = 0; i < sum.length; i++) {
      sum[i] += (int) INTS.get(values, i * Integer.BYTES);
    }
  }

  /**
   * Adds sums of grid values to {@code sum}, shape [d], exactly, with the bound of {@link
   * #addGrid}.
   */
  public static void addGridSum(byte[] values, long[] sum) {
    requireCount(sum.length, count(VectorForm.GRID_SUM, values));
    for (int i = 0; i < sum.length; i++) {
      sum[i] += (long) LONGS.get(values, i * Long.BYTES);
    }
  }

  /**
   * Returns the values times a factor, in the same layout; grid values are rounded towards zero.
   *
   * @param form grid, dense or sparse
   * @param factor from 0 to 1
   */
  public static byte[] scaled(VectorForm form, byte[] values, double factor) {
    int n = count(form, values);
    byte[] scaled = new byte[values.length];
    switch (form) {
      case GRID -> {
        for (int i = 0; i < n; i++) {
          int steps = (int) INTS.get(values, i * Integer.BYTES);
          INTS.set(scaled, i * Integer.BYTES, (int) (steps * factor));
        }
      }
      case DENSE, SPARSE -> {
        for (int i = 0; i < n; i++) {
          DOUBLES.set(
              scaled, i * Double.BYTES, (double) DOUBLES.get(values, i * Double.BYTES) * factor);
        }
      }
      default -> throw new IllegalArgumentException("A vector of form " + form + " is not scaled");
    }
    return scaled;
  }

  /**
   * Returns the values, each limited to at most {@code most} in magnitude; the same array if none
   * exceeds it. Values that are not finite count as 0.
   *
   * @param form grid, dense or sparse
   * @param mostSteps {@code most} in grid steps; rounded down
   */
  public static byte[] limited(VectorForm form, byte[] values, double most, double mostSteps) {
    int n = count(form, values);
    boolean isGrid = form == VectorForm.GRID;
    double limit = isGrid ? Math.floor(mostSteps) : most;
    byte[] limited = values;
    for (int i = 0; i < n; i++) {
      double value = valueAt(form, values, i, 1);
      if (Math.abs(value) <= limit) {
        continue;
      }
      if (limited == values) {
        limited = values.clone();
      }
      double cut = Double.isFinite(value) ? Math.copySign(limit, value) : 0;
      if (isGrid) {
        INTS.set(limited, i * Integer.BYTES, (int) cut);
      } else {
        DOUBLES.set(limited, i * Double.BYTES, cut);
      }
    }
    return limited;
  }

  /** Returns the bytes of {@code values} in the layout of {@code DENSE}. */
  public static byte[] encode(double[] values) {
    byte[] bytes = new byte[Math.multiplyExact(values.length, Double.BYTES)];
    for (int i = 0; i < values.length; i++) {
      DOUBLES.set(bytes, i * Double.BYTES, values[i]);
    }
    return bytes;
  }

  /** Returns the bytes of {@code values} in the layout of {@code GRID_SUM}. */
  public static byte[] encode(long[] values) {
    byte[] bytes = new byte[Math.multiplyExact(values.length, Long.BYTES)];
    for (int i = 0; i < values.length; i++) {
      LONGS.set(bytes, i * Long.BYTES, values[i]);
    }
    return bytes;
  }

  /** Returns the bytes of {@code values} in the layout of {@code GRID}. */
  public static byte[] encode(int[] values) {
    byte[] bytes = new byte[Math.multiplyExact(values.length, Integer.BYTES)];
    for (int i = 0; i < values.length; i++) {
      INTS.set(bytes, i * Integer.BYTES, values[i]);
    }
    return bytes;
  }

  private static IllegalArgumentException noValues(VectorForm form) {
    return new IllegalArgumentException("A report of form " + form + " has no values");
  }

  /**
   * Checks that there are as many {@code SPARSE} values as coordinates.
   *
   * @throws IllegalArgumentException if there are not
   */
  static void requireSparse(byte[] values, int[] indices) {
    requireCount(indices.length, count(VectorForm.SPARSE, values));
  }

  private static void requireCount(int expected, int actual) {
    if (actual != expected) {
      throw new IllegalArgumentException(
          actual + " values for a vector of " + expected + " coordinates");
    }
  }
}
