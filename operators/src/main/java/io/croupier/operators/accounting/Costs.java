package io.croupier.operators.accounting;

import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorBytes;
import java.math.BigDecimal;

/**
 * What one report costs by its own declaration.
 *
 * <p>A pure epsilon is worth rho = epsilon tanh(epsilon / 2), the tight constant where [BS16, Prop.
 * 1.4] has epsilon^2 / 2; a Gaussian mu is worth mu^2 / 2 [BS16, Prop. 1.6].
 */
final class Costs {
  /** The relative error of {@code e * Math.tanh(e / 2) * 1e12} is below 8 ulps = 2^-49. */
  private static final double ROUNDING = 1 + 0x1p-48;

  /** More than any account holds, so that the rest of the taus needs no exact sum. */
  private static final double TOO_MUCH = 1e10;

  private Costs() {}

  static Totals of(Report report) {
    Totals cost = new Totals();
    cost.reports = 1;
    switch (report.declaration) {
      case UNDISCLOSED -> cost.undisclosed = 1;
      case L2_LAPLACE -> {
        cost.epsilonNanos = DecimalUnits.roundUp(report.level, 9);
        cost.rhoPicos = rhoPicos(report.level);
      }
      case COORDINATE_LAPLACE -> {
        cost.epsilonNanos = sumOfFiniteTaus(report.taus);
        cost.rhoPicos = rhoPicos(DecimalUnits.toDouble(cost.epsilonNanos, 9));
        cost.unbounded = infiniteTaus(report.taus) > 0 ? 1 : 0;
      }
      case GAUSSIAN -> {
        cost.muSquaredPicos = muSquaredPicos(report.level);
        cost.rhoPicos = half(cost.muSquaredPicos);
      }
      case CENTRAL -> {} // its noise is the job's, and is charged with the release
    }
    return cost;
  }

  /** How many coordinates are left without noise. */
  static int infiniteTaus(byte[] taus) {
    int infinite = 0;
    for (int i = 0; i < taus.length / Double.BYTES; i++) {
      if (VectorBytes.doubleAt(taus, i) == Double.POSITIVE_INFINITY) {
        infinite++;
      }
    }
    return infinite;
  }

  /** In units of 1e-9; the decimals are added exactly and their sum is rounded up once. */
  static long sumOfFiniteTaus(byte[] taus) {
    int count = taus.length / Double.BYTES;
    long exact = 0;
    BigDecimal rest = BigDecimal.ZERO;
    for (int from = 0, to; from < count; from = to) {
      double tau = VectorBytes.doubleAt(taus, from);
      for (to = from + 1; to < count && VectorBytes.doubleAt(taus, to) == tau; ) {
        to++; // equal taus are the rule
      }
      if (tau == Double.POSITIVE_INFINITY) {
        continue;
      }
      if (tau >= TOO_MUCH) {
        return DecimalUnits.SATURATED;
      }
      long nanos = DecimalUnits.exactly(tau, 9);
      if (nanos >= 0) {
        exact = DecimalUnits.add(exact, DecimalUnits.multiply(nanos, to - from));
      } else {
        rest = rest.add(BigDecimal.valueOf(tau).multiply(BigDecimal.valueOf(to - from)));
      }
    }
    return DecimalUnits.add(exact, DecimalUnits.roundUp(rest, 9));
  }

  private static long rhoPicos(double epsilon) {
    // A conversion to long saturates.
    return (long) Math.ceil(epsilon * Math.tanh(epsilon / 2) * 1e12 * ROUNDING);
  }

  private static long muSquaredPicos(double mu) {
    long micros = DecimalUnits.exactly(mu, 6);
    if (micros >= 0) {
      return DecimalUnits.multiply(micros, micros);
    }
    BigDecimal decimal = BigDecimal.valueOf(mu);
    return DecimalUnits.roundUp(decimal.multiply(decimal), 12);
  }

  /** Rounding up twice is rounding up once: the half of a ceiling, rounded up, is exact. */
  private static long half(long picos) {
    return picos == DecimalUnits.SATURATED ? picos : picos / 2 + picos % 2;
  }
}
