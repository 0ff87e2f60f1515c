package io.croupier.cli.plan;

import java.util.function.DoubleUnaryOperator;

/**
 * What is likely, and limits between which the truth is in 9 of 10 cases.
 *
 * @param low at most {@code likely}
 * @param high at least {@code likely}
 */
public record Band(double low, double likely, double high) {

  /** The image under a function that doesn't fall. */
  Band map(DoubleUnaryOperator rising) {
    return new Band(
        rising.applyAsDouble(low), rising.applyAsDouble(likely), rising.applyAsDouble(high));
  }

  /** Whether a value is within the limits. */
  public boolean contains(double value) {
    return value >= low && value <= high;
  }
}
