package io.croupier.operators.accounting;

import io.croupier.schemas.Spend;

/**
 * What declared, bounded reports add up to; what one report costs is the total of that one. A Flink
 * POJO: fields may be added, and 0 must then mean that there was nothing of the kind.
 *
 * <p>Three accumulators compose mixed mechanisms: the sum of the pure epsilons, the sum of mu^2
 * (Gaussian ones, and apart from them the pure ones by their tight mu), and a Renyi divergence: of
 * every order at once as order times rho, and where limits set epsilon and delta tightly at the one
 * order that their filter uses.
 *
 * <p>Invariants: (1) no field is negative; (2) none but those of the Renyi order ever falls; (3)
 * {@link Long#MAX_VALUE} stands for anything from there on, and stays; told, it is infinite.
 */
public final class Totals {
  /** All reports, also those that disclose nothing. */
  public long reports;

  /** Sum of the pure epsilons in units of 1e-9, each report rounded up. */
  public long epsilonNanos;

  /** Sum of mu^2 of Gaussian noise in units of 1e-12, each report rounded up. */
  public long muSquaredPicos;

  /** Sum of the zero-concentrated rho of every report in units of 1e-12, each rounded up. */
  public long rhoPicos;

  /** Reports that disclose nothing of their noise. */
  public long undisclosed;

  /** Reports that leave a coordinate without noise. */
  public long unbounded;

  /**
   * Sum of mu^2 of pure epsilons in units of 1e-12, each report rounded up. States of before it was
   * kept have 0 beside pure epsilons.
   */
  public long pureMuSquaredPicos;

  /** Whether the first report with an account of its own was Gaussian: it chooses the filter. */
  public boolean gaussianFirst;

  /** The order of {@link #renyiPicos}; 0 while no limit asks for it. */
  public double renyiOrder;

  /** Sum of the Renyi divergences of {@link #renyiOrder} in units of 1e-12, each rounded up. */
  public long renyiPicos;

  /** Admitted reports to a central model; 0 in totals over all models. */
  public long participations;

  /** The round that the last of {@link #participations} named. */
  public long lastRound;

  /**
   * How far Gaussian noise on grids is from the law that mu is about: total variation, in units of
   * 1e-18, each report rounded up. States of before it was kept have 0: it counts from then on.
   */
  public long variationAttos;

  /**
   * What the first Gaussian report's model has of {@link #variationAttos} for each unit of mu^2, at
   * most: it chooses, with the limits, how much of delta the filter keeps for that. 0 if there was
   * none, or none that says so.
   */
  public double variationRate;

  /** Creates empty totals. */
  public Totals() {}

  /** Adds what one report costs; {@code cost} stays as it is. */
  public void add(Totals cost) {
    if (renyiOrder > 0) {
      renyiPicos = DecimalUnits.add(renyiPicos, cost.renyiPicos(renyiOrder));
    }
    variationRate = rate(cost);
    variationAttos = DecimalUnits.add(variationAttos, cost.variationAttos);
    gaussianFirst = gaussianDecides(cost);
    pureMuSquaredPicos = DecimalUnits.add(pureMuSquared(), cost.pureMuSquared());
    reports = DecimalUnits.add(reports, cost.reports);
    epsilonNanos = DecimalUnits.add(epsilonNanos, cost.epsilonNanos);
    muSquaredPicos = DecimalUnits.add(muSquaredPicos, cost.muSquaredPicos);
    rhoPicos = DecimalUnits.add(rhoPicos, cost.rhoPicos);
    undisclosed = DecimalUnits.add(undisclosed, cost.undisclosed);
    unbounded = DecimalUnits.add(unbounded, cost.unbounded);
  }

  /** Adds an admitted report to a central model. */
  void participate(long round) {
    participations = DecimalUnits.add(participations, 1);
    lastRound = round;
  }

  /** From now on divergences of that order are kept, from a bound on what came before. */
  void keepRenyi(double order) {
    renyiPicos = renyiPicos(order);
    renyiOrder = order;
  }

  /** Whether the first report with an account was Gaussian, {@code next} included. */
  boolean gaussianDecides(Totals next) {
    boolean first = epsilonNanos == 0 && muSquaredPicos == 0;
    return first ? next.gaussianFirst : gaussianFirst;
  }

  /** {@link #variationRate}, {@code next} included. */
  double rate(Totals next) {
    return muSquaredPicos == 0 ? next.variationRate : variationRate;
  }

  /** {@link #variationAttos}, not rounded down; infinite if it is saturated. */
  public double variation() {
    return DecimalUnits.toDouble(variationAttos, 18);
  }

  /** Whether no report is known by a Gaussian account only. */
  boolean isPure() {
    return muSquaredPicos == 0;
  }

  /** Sum of mu^2 of all, in units of 1e-12. */
  long allMuSquared() {
    return DecimalUnits.add(muSquaredPicos, pureMuSquared());
  }

  /** {@link #pureMuSquaredPicos}, or where that was not kept a bound on it. */
  private long pureMuSquared() {
    if (pureMuSquaredPicos > 0 || epsilonNanos == 0) {
      return pureMuSquaredPicos;
    }
    // mu^2 of an epsilon is convex, and at most 8 times its rho.
    return Math.min(PureCosts.muSquaredPicos(epsilon()), DecimalUnits.multiply(8, pureRhoPicos()));
  }

  private long pureRhoPicos() {
    return rhoPicos == DecimalUnits.SATURATED
        ? rhoPicos
        : Math.max(0, rhoPicos - Costs.half(muSquaredPicos));
  }

  /**
   * The Renyi divergence of an order in units of 1e-12: as kept, or at most epsilon and at most
   * order times rho of the pure part, plus the Gaussian one's.
   */
  long renyiPicos(double order) {
    if (order == renyiOrder) {
      return renyiPicos;
    }
    long pure =
        reports == 1
            ? PureCosts.renyiPicos(epsilon(), order)
            : Math.min(
                DecimalUnits.multiply(epsilonNanos, 1000),
                DecimalUnits.multiplyUp(pureRhoPicos(), order));
    return DecimalUnits.add(pure, DecimalUnits.multiplyUp(Costs.half(muSquaredPicos), order));
  }

  /** The sum of the pure epsilons, not rounded down. */
  public double epsilon() {
    return DecimalUnits.toDouble(epsilonNanos, 9);
  }

  /** The root of the sum of mu^2 of Gaussian noise, not rounded down. */
  public double mu() {
    return DecimalUnits.rootUp(muSquaredPicos);
  }

  /** The root of the sum of mu^2 of all, pure ones by their tight mu, not rounded down. */
  public double muOfAll() {
    return DecimalUnits.rootUp(allMuSquared());
  }

  /** The sum of the rho, not rounded down. */
  public double rho() {
    return DecimalUnits.toDouble(rhoPicos, 12);
  }

  /** The record of these totals; without epsilon at a delta, which isn't theirs. */
  public Spend.Builder toProto() {
    Spend.Builder spend =
        Spend.newBuilder()
            .setReports(reports)
            .setEpsilon(epsilon())
            .setMu(mu())
            .setRho(rho())
            .setUndisclosed(undisclosed)
            .setUnbounded(unbounded)
            .setMuOfAll(muOfAll());
    if (renyiOrder > 0) {
      spend.setRenyiOrder(renyiOrder).setRenyi(DecimalUnits.toDouble(renyiPicos, 12));
    }
    if (variationAttos > 0) {
      spend.setTotalVariation(variation());
    }
    if (variationRate > 0) {
      spend.setVariationRate(variationRate);
    }
    if (participations > 0) {
      spend.setParticipations(participations).setLastRound(lastRound);
    }
    return spend;
  }
}
