package io.croupier.operators.report;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and checks vectors in wire format: consecutive little-endian values. Indices count values,
 * not bytes. O(d); allocates only its results.
 */
public final class VectorBytes {
  private static final VarHandle DOUBLES =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long EXPONENT = 0x7ff0_0000_0000_0000L;
  private static final long LOWEST_EXPONENT_BIT = 0x0010_0000_0000_0000L;

  private VectorBytes() {}

  /** Returns the 64-bit floating-point value number {@code i}. */
  public static double doubleAt(byte[] bytes, int i) {
    return (double) DOUBLES.get(bytes, i * Double.BYTES);
  }

  /** Returns the 64-bit integer number {@code i}. */
  public static long longAt(byte[] bytes, int i) {
    return (long) LONGS.get(bytes, i * Long.BYTES);
  }

  /** Returns the 64-bit integer that begins at a byte. */
  static long littleEndian(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  /** Returns the 32-bit integer number {@code i}. */
  public static int intAt(byte[] bytes, int i) {
    return (int) INTS.get(bytes, i * Integer.BYTES);
  }

  /** Sets the 64-bit floating-point value number {@code i}. */
  public static void setDouble(byte[] bytes, int i, double value) {
    DOUBLES.set(bytes, i * Double.BYTES, value);
  }

  /** Sets the 32-bit integer number {@code i}. */
  public static void setInt(byte[] bytes, int i, int value) {
    INTS.set(bytes, i * Integer.BYTES, value);
  }

  /** Returns whether no 64-bit floating-point value is NaN or infinite. */
  public static boolean areFinite(byte[] bytes) {
    long signs = 0;
    for (int at = 0; at < bytes.length; at += Double.BYTES) {
      // Only an exponent of all ones carries into the sign.
      signs |= ((long) LONGS.get(bytes, at) & EXPONENT) + LOWEST_EXPONENT_BIT;
    }
    return signs >= 0;
  }

  /**
   * Returns whether every 64-bit floating-point value is above 0; true for Infinity, false for NaN.
   */
  public static boolean arePositive(byte[] bytes) {
    for (int i = 0; i < bytes.length / Double.BYTES; i++) {
      if (!(doubleAt(bytes, i) > 0)) {
        return false;
      }
    }
    return true;
  }
}
