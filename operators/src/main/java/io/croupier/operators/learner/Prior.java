package io.croupier.operators.learner;

import java.io.Serializable;

/** Density over betting fractions v in [-C, C], [vdH19, section 4]. All are symmetric. */
public sealed interface Prior extends Serializable {

  /** 1 / |v|: infinite mass near 0, so that the potential is an excess over doing nothing. */
  record Improper() implements Prior {}

  /**
   * exp(-b v^2) / Z.
   *
   * @param b concentration, positive, in squared units of a gradient
   */
  record Conjugate(double b) implements Prior {
    public Conjugate {
      if (!(b > 0) || Double.isInfinite(b)) {
        throw new IllegalArgumentException(
            "prior.conjugate.b is " + b + "; it has to be positive and finite");
      }
    }
  }

  /** 1 / (2C). */
  record Uniform() implements Prior {}

  /** 1 / (Z |v| ln^2 |v|); needs C < 1, that is, G > 1/5. */
  record Cv() implements Prior {}
}
