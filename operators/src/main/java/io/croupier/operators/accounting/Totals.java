package io.croupier.operators.accounting;

import io.croupier.schemas.Spend;

/**
 * What declared, bounded reports add up to; what one report costs is the total of that one. A Flink
 * POJO: fields may be added, and 0 must then mean that there was nothing of the kind.
 *
 * <p>Invariants: (1) no field is negative; (2) none ever falls; (3) {@link Long#MAX_VALUE} stands
 * for anything from there on, and stays.
 */
public final class Totals {
  /** All reports, also those that disclose nothing. */
  public long reports;

  /** Sum of the pure epsilons in units of 1e-9, each report rounded up. */
  public long epsilonNanos;

  /** Sum of mu^2 in units of 1e-12, each report rounded up. */
  public long muSquaredPicos;

  /** Sum of the zero-concentrated rho of every report in units of 1e-12, each rounded up. */
  public long rhoPicos;

  /** Reports that disclose nothing of their noise. */
  public long undisclosed;

  /** Reports that leave a coordinate without noise. */
  public long unbounded;

  /** Creates empty totals. */
  public Totals() {}

  /** Adds {@code other}, which stays as it is. */
  public void add(Totals other) {
    reports = DecimalUnits.add(reports, other.reports);
    epsilonNanos = DecimalUnits.add(epsilonNanos, other.epsilonNanos);
    muSquaredPicos = DecimalUnits.add(muSquaredPicos, other.muSquaredPicos);
    rhoPicos = DecimalUnits.add(rhoPicos, other.rhoPicos);
    undisclosed = DecimalUnits.add(undisclosed, other.undisclosed);
    unbounded = DecimalUnits.add(unbounded, other.unbounded);
  }

  /** The sum of the pure epsilons, not rounded down. */
  public double epsilon() {
    return DecimalUnits.toDouble(epsilonNanos, 9);
  }

  /** The root of the sum of mu^2, not rounded down; exact if it has at most 6 decimals. */
  public double mu() {
    double root = Math.sqrt((double) muSquaredPicos);
    long micros = (long) root;
    if (DecimalUnits.multiply(micros, micros) == muSquaredPicos) {
      return DecimalUnits.toDouble(micros, 6);
    }
    // Conversion, root and division err by less than two units in the last place together.
    return Math.nextUp(Math.nextUp(Math.nextUp(root / 1e6)));
  }

  /** The sum of the rho, not rounded down. */
  public double rho() {
    return DecimalUnits.toDouble(rhoPicos, 12);
  }

  /** The record of these totals. */
  public Spend toProto() {
    return Spend.newBuilder()
        .setReports(reports)
        .setEpsilon(epsilon())
        .setMu(mu())
        .setRho(rho())
        .setUndisclosed(undisclosed)
        .setUnbounded(unbounded)
        .build();
  }
}
