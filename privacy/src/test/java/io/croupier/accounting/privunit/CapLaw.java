package io.croupier.accounting.privunit;

import io.croupier.accounting.numerics.GaussLegendre;

/**
 * The exact law of PrivUnit's cap, by quadrature of its own: what the choice among candidates tends
 * to with their number.
 */
final class CapLaw {
  private static final int PANELS = 24;

  private final int dimension;
  private final double odds;
  final double scale;
  final double gamma;
  private final double normaliser;
  private final double density;

  CapLaw(int dimension, double epsilon) {
    this.dimension = dimension;
    odds = Math.expm1(epsilon);
    Sphere sphere = new Sphere(dimension);
    scale = Cap.scale(sphere, odds);
    gamma = 1 / scale;
    normaliser = 1 + odds * sphere.tail(gamma);
    density = 1 / integral(0, -1, 1);
  }

  /** P(cap). */
  double capProbability() {
    return Math.exp(Math.log1p(odds)) * density * integral(0, gamma, 1) / normaliser;
  }

  double variance() {
    return (scale * scale - 1) / dimension;
  }

  /** For bets of any size: beyond the range, the function is below the variance. */
  double leastBettingVariance() {
    return leastBettingVariance(2 * (scale + 1) / variance());
  }

  /** The largest 2 / b^2 (ln E exp(-b M T) + b) over 0 &lt; b &lt;= range, or the variance. */
  double leastBettingVariance(double range) {
    return Math.max(
        variance(),
        Supremum.of(
            b -> {
              double m = b * scale;
              double mean = integral(m, -1, -1) + odds * integral(m, gamma, -1);
              return 2 / (b * b) * (Math.log(density * mean / normaliser) + m + b);
            },
            range));
  }

  /** Of (1 - t^2)^((D - 3) / 2) exp(-b (t - origin)) from a height on. */
  private double integral(double b, double from, double origin) {
    double start = Math.max(Math.asin(from), -reach());
    double end = reach();
    double width = (end - start) / PANELS;
    double sum = 0;
    for (int i = 0; i < PANELS * GaussLegendre.SIZE; i++) {
      int panel = i / GaussLegendre.SIZE;
      double angle = start + width * (panel + GaussLegendre.node(i % GaussLegendre.SIZE));
      sum +=
          width
              * GaussLegendre.weight(i % GaussLegendre.SIZE)
              * Math.pow(Math.cos(angle), dimension - 2)
              * Math.exp(-b * (Math.sin(angle) - origin));
    }
    return sum;
  }

  private double reach() {
    return Math.min(Math.PI / 2, Math.acos(Math.exp(-60.0 / dimension)));
  }
}
