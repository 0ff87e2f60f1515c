package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * The weights of the iterates in the published average: the t-th iterate has weight t^degree;
 * degree 0 is the uniform average.
 *
 * @param degree finite, at least 0
 */
public record Averaging(double degree) implements Serializable {

  public Averaging {
    if (!(degree >= 0) || Double.isInfinite(degree)) {
      throw new IllegalArgumentException(
          "averaging.polynomial.degree is " + degree + "; it has to be finite and at least 0");
    }
  }

  /** Returns the weight of iterate t - 1 relative to that of iterate t; 0 for the first. */
  public double decay(long t) {
    return t == 1 ? 0 : decay(1.0 / t);
  }

  /** Returns (1 - share)^degree, for a share of at least 0 and below 1. */
  double decay(double share) {
    return StrictMath.exp(degree * StrictMath.log1p(-share));
  }
}
