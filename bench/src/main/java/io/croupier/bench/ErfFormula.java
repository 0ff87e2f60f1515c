package io.croupier.bench;

import org.apache.commons.math3.special.Erf;

/**
 * The prediction under the conjugate prior as [vdH19, formula (7)] prints it, with its sign
 * corrected and the missing factor sqrt(b / pi) added, in plain double arithmetic: the baseline for
 * {@code Potential}, which shows why that class doesn't use this formula.
 *
 * <p>B is the variance plus b. Exact in exact arithmetic; in double precision NaN, infinite or
 * wrong wherever an exponential overflows or the two terms agree in their leading digits.
 */
final class ErfFormula {
  private ErfFormula() {}

  static double prediction(double coins, double variance, double b, double halfWidth) {
    double quadratic = variance + b;
    double root = 2 * Math.sqrt(quadratic);
    double shift = 2 * halfWidth * quadratic;
    double gaussian = Math.exp((coins + shift) * (coins + shift) / (4 * quadratic));
    double difference = Erf.erf((coins + shift) / root) - Erf.erf((coins - shift) / root);
    double ends = 2 * Math.sqrt(b * quadratic / Math.PI) * (Math.exp(2 * halfWidth * coins) - 1);
    double normaliser =
        Erf.erf(halfWidth * Math.sqrt(b))
            * Math.exp(halfWidth * (coins + halfWidth * quadratic))
            * 4
            * Math.pow(quadratic, 1.5);
    return (Math.sqrt(b) * coins * gaussian * difference - ends) / normaliser;
  }
}
