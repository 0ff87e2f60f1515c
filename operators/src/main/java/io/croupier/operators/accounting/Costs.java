package io.croupier.operators.accounting;

import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorBytes;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.CoordinateLaplaceTotal;
import java.math.BigDecimal;

/**
 * What one report costs by its own declaration: by all that its {@link AccountingEvent} repeats of
 * it, so that the accounts can be computed again from the events, to the last unit.
 *
 * <p>A Gaussian mu is worth rho = mu^2 / 2 [BS16, Prop. 1.6]; for a pure epsilon see {@link
 * PureCosts}.
 */
final class Costs {
  /** More than any account holds, so that the rest of the taus needs no exact sum. */
  private static final double TOO_MUCH = 1e10;

  private Costs() {}

  static Totals of(Report report) {
    return switch (report.declaration) {
      case UNDISCLOSED -> undisclosed();
      case L2_LAPLACE -> pure(report.level);
      case COORDINATE_LAPLACE ->
          coordinates(sumOfFiniteTaus(report.taus), infiniteTaus(report.taus));
      case GAUSSIAN -> gaussian(report.level);
      case CENTRAL -> central();
    };
  }

  /**
   * The same from what an event repeats of the declaration.
   *
   * @throws IllegalArgumentException if it repeats none
   */
  static Totals of(AccountingEvent event) {
    return switch (event.getDeclarationCase()) {
      case UNDISCLOSED -> undisclosed();
      case L2_LAPLACE -> pure(event.getL2Laplace().getEpsilon());
      case COORDINATE_LAPLACE -> {
        CoordinateLaplaceTotal sum = event.getCoordinateLaplace();
        yield coordinates(sum.getEpsilon(), sum.getNotPrivate());
      }
      case GAUSSIAN -> gaussian(event.getGaussian().getMu());
      case CENTRAL -> central();
      case DECLARATION_NOT_SET ->
          throw new IllegalArgumentException(
              "declaration of the accounting event is missing: it must be the report's");
    };
  }

  private static Totals one() {
    Totals cost = new Totals();
    cost.reports = 1;
    return cost;
  }

  /** Its noise is the job's, and is charged with the release. */
  private static Totals central() {
    return one();
  }

  private static Totals undisclosed() {
    Totals cost = one();
    cost.undisclosed = 1;
    return cost;
  }

  private static Totals coordinates(double sumOfFiniteTaus, int infiniteTaus) {
    Totals cost = sumOfFiniteTaus > 0 ? pure(sumOfFiniteTaus) : one();
    cost.unbounded = infiniteTaus > 0 ? 1 : 0;
    return cost;
  }

  private static Totals pure(double epsilon) {
    Totals cost = one();
    cost.epsilonNanos = DecimalUnits.roundUp(epsilon, 9);
    cost.rhoPicos = PureCosts.rhoPicos(epsilon);
    cost.pureMuSquaredPicos = PureCosts.muSquaredPicos(epsilon);
    return cost;
  }

  private static Totals gaussian(double mu) {
    Totals cost = one();
    cost.muSquaredPicos = muSquaredPicos(mu);
    cost.rhoPicos = half(cost.muSquaredPicos);
    cost.gaussianFirst = true;
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

  /** The decimals are added exactly and their sum is rounded up once, to units of 1e-9. */
  static double sumOfFiniteTaus(byte[] taus) {
    return DecimalUnits.toDouble(sumOfFiniteTausNanos(taus), 9);
  }

  private static long sumOfFiniteTausNanos(byte[] taus) {
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

  private static long muSquaredPicos(double mu) {
    long micros = DecimalUnits.exactly(mu, 6);
    if (micros >= 0) {
      return DecimalUnits.multiply(micros, micros);
    }
    BigDecimal decimal = BigDecimal.valueOf(mu);
    return DecimalUnits.roundUp(decimal.multiply(decimal), 12);
  }

  /** Rounding up twice is rounding up once: the half of a ceiling, rounded up, is exact. */
  static long half(long picos) {
    return picos == DecimalUnits.SATURATED ? picos : picos / 2 + picos % 2;
  }
}
