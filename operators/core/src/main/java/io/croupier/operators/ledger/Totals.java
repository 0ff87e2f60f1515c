package io.croupier.operators.ledger;

import io.croupier.accounting.PureCosts;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.Spend;

/**
 * The totals of declared, bounded reports; the cost of one report is the total of that report
 * alone. A Flink POJO: fields may be added, and 0 must then mean that they are absent.
 *
 * <p>Three accumulators compose mixed mechanisms: the sum of the pure epsilons, the sum of mu^2 (of
 * Gaussian noise, and separately that of pure reports by their own mu), and a Renyi divergence: for
 * every order as order times rho, and, where limits set epsilon and delta, tightly at the one order
 * that their filter uses.
 *
 * <p>Invariants: (1) no field is negative; (2) no field but those of the Renyi order ever falls;
 * (3) {@link Long#MAX_VALUE} is a saturated sum, which never changes; in records it is infinite.
 */
public final class Totals {
  /** The largest sum of pure epsilons, rounded down. */
  public static final double LARGEST_EPSILON = DecimalUnits.toDoubleDown(DecimalUnits.SATURATED, 9);

  /** The largest sum of rho, rounded down. */
  public static final double LARGEST_RHO = DecimalUnits.toDoubleDown(DecimalUnits.SATURATED, 12);

  /** The root of the largest sum of mu^2, rounded down. */
  public static final double LARGEST_MU = DecimalUnits.rootDown(DecimalUnits.SATURATED);

  /** The number of all reports, including those with undisclosed noise. */
  public long reports;

  /** Sum of the pure epsilons in units of 1e-9, each report rounded up. */
  public long epsilonNanos;

  /** Sum of mu^2 of Gaussian noise in units of 1e-12, each report rounded up. */
  public long muSquaredPicos;

  /**
   * Sum of every report's rho of zero-concentrated differential privacy in units of 1e-12, each
   * rounded up.
   */
  public long rhoPicos;

  /** Reports with undisclosed noise. */
  public long undisclosed;

  /** Reports that leave a coordinate without noise. */
  public long unbounded;

  /**
   * Sum of mu^2 of pure reports in units of 1e-12, each report rounded up. Older states, without
   * this field, have 0 in spite of pure epsilons.
   */
  public long pureMuSquaredPicos;

  /** Whether the first report that costs an epsilon or a mu was Gaussian: it selects the filter. */
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
   * Total variation between Gaussian noise on grids and the continuous law of mu, in units of
   * 1e-18, each report rounded up. Older states, without this field, have 0: later reports add to
   * it.
   */
  public long variationAttos;

  /**
   * Upper bound on the total variation per unit of mu^2 in the first Gaussian report's model. With
   * the limits, it determines how much of delta the filter reserves for the variation. 0 if there
   * was no such report, or its bound is unknown.
   */
  public double variationRate;

  /**
   * The loss of one report; null in sums, and if nothing is known of it but epsilon. Not in state.
   */
  private transient PureLoss loss;

  /** Creates empty totals. */
  public Totals() {}

  /** Returns the totals of one report. */
  public static Totals of(Cost cost) {
    Totals totals = new Totals();
    totals.reports = 1;
    totals.epsilonNanos = cost.epsilonNanos();
    totals.muSquaredPicos = cost.muSquaredPicos();
    totals.rhoPicos = cost.rhoPicos();
    totals.undisclosed = cost.isUndisclosed() ? 1 : 0;
    totals.unbounded = cost.isUnbounded() ? 1 : 0;
    totals.pureMuSquaredPicos = cost.pureMuSquaredPicos();
    totals.gaussianFirst = cost.isGaussian();
    totals.variationAttos = cost.variationAttos();
    totals.variationRate = cost.variationRate();
    totals.loss = cost.loss().isResponse() ? null : cost.loss();
    return totals;
  }

  /** Reads each cache line of these totals, for {@link StoredAccount#read}. */
  long read() {
    return reports + pureMuSquaredPicos + variationAttos;
  }

  /** Adds the cost of one report; {@code cost} is not changed. */
  public void add(Totals cost) {
    if (renyiOrder > 0) {
      renyiPicos = DecimalUnits.add(renyiPicos, cost.renyiPicos(renyiOrder));
    }
    variationRate = rate(cost);
    variationAttos = DecimalUnits.add(variationAttos, cost.variationAttos);
    gaussianFirst = gaussianDecides(cost);
    pureMuSquaredPicos = DecimalUnits.add(pureMuSquared(), cost.pureMuSquared());
    loss = null;
    reports = DecimalUnits.add(reports, cost.reports);
    epsilonNanos = DecimalUnits.add(epsilonNanos, cost.epsilonNanos);
    muSquaredPicos = DecimalUnits.add(muSquaredPicos, cost.muSquaredPicos);
    rhoPicos = DecimalUnits.add(rhoPicos, cost.rhoPicos);
    undisclosed = DecimalUnits.add(undisclosed, cost.undisclosed);
    unbounded = DecimalUnits.add(unbounded, cost.unbounded);
  }

  /**
   * Returns what the totals of each model of an account begin with once it is erased; null if
   * nothing was charged.
   */
  public Totals erased() {
    return reports == 0 ? null : copyOfCharges();
  }

  /** Returns these totals without the participations in a central model. */
  public Totals copyOfCharges() {
    Totals copy = new Totals();
    copy.reports = reports;
    copy.epsilonNanos = epsilonNanos;
    copy.muSquaredPicos = muSquaredPicos;
    copy.rhoPicos = rhoPicos;
    copy.undisclosed = undisclosed;
    copy.unbounded = unbounded;
    copy.pureMuSquaredPicos = pureMuSquaredPicos;
    copy.gaussianFirst = gaussianFirst;
    copy.renyiOrder = renyiOrder;
    copy.renyiPicos = renyiPicos;
    copy.variationAttos = variationAttos;
    copy.variationRate = variationRate;
    return copy;
  }

  /** Adds an admitted report to a central model. */
  void participate(long round) {
    participations = DecimalUnits.add(participations, 1);
    lastRound = round;
  }

  /**
   * Keeps divergences of the given order from now on, starting with a bound on the earlier
   * reports'.
   */
  void keepRenyi(double order) {
    renyiPicos = renyiPicos(order);
    renyiOrder = order;
  }

  /** Returns {@link #gaussianFirst}, {@code next} included. */
  boolean gaussianDecides(Totals next) {
    boolean first = epsilonNanos == 0 && muSquaredPicos == 0;
    return first ? next.gaussianFirst : gaussianFirst;
  }

  /** Returns {@link #variationRate}, {@code next} included. */
  double rate(Totals next) {
    return muSquaredPicos == 0 ? next.variationRate : variationRate;
  }

  /** Returns {@link #variationAttos} as a number, not rounded down; infinite if saturated. */
  public double variation() {
    return DecimalUnits.toDouble(variationAttos, 18);
  }

  /** Returns whether no Gaussian noise was charged. */
  boolean isPure() {
    return muSquaredPicos == 0;
  }

  /** Returns the sum of mu^2 of all reports, in units of 1e-12. */
  long allMuSquared() {
    return DecimalUnits.add(muSquaredPicos, pureMuSquared());
  }

  /** Returns {@link #pureMuSquaredPicos}, or an upper bound on it if the state lacks it. */
  private long pureMuSquared() {
    if (pureMuSquaredPicos > 0 || epsilonNanos == 0) {
      return pureMuSquaredPicos;
    }
    // mu^2 is convex in epsilon, and at most 8 times the rho of epsilon.
    return Math.min(PureCosts.muSquaredPicos(epsilon()), DecimalUnits.multiply(8, pureRhoPicos()));
  }

  private long pureRhoPicos() {
    return rhoPicos == DecimalUnits.SATURATED
        ? rhoPicos
        : Math.max(0, rhoPicos - DecimalUnits.half(muSquaredPicos));
  }

  /**
   * Returns the Renyi divergence of an order in units of 1e-12: the kept one, or the lesser of
   * epsilon and of order times rho for the pure part, plus the Gaussian part's. Of one pure report
   * it is that report's own divergence.
   */
  long renyiPicos(double order) {
    if (order == renyiOrder) {
      return renyiPicos;
    }
    long pure =
        Math.min(
            DecimalUnits.multiply(epsilonNanos, 1000),
            DecimalUnits.multiplyUp(pureRhoPicos(), order));
    if (reports == 1) {
      PureLoss own = loss == null ? PureLoss.ofEpsilon(epsilon()) : loss;
      pure = Math.min(pure, PureCosts.renyiPicos(own, order));
    }
    return DecimalUnits.add(
        pure, DecimalUnits.multiplyUp(DecimalUnits.half(muSquaredPicos), order));
  }

  /** Returns the sum of the pure epsilons, not rounded down. */
  public double epsilon() {
    return DecimalUnits.toDouble(epsilonNanos, 9);
  }

  /** Returns the square root of the sum of mu^2 of Gaussian noise, not rounded down. */
  public double mu() {
    return DecimalUnits.rootUp(muSquaredPicos);
  }

  /**
   * Returns the square root of the sum of mu^2 of all reports, pure ones by their own mu, not
   * rounded down.
   */
  public double muOfAll() {
    return DecimalUnits.rootUp(allMuSquared());
  }

  /** Returns the sum of the rho, not rounded down. */
  public double rho() {
    return DecimalUnits.toDouble(rhoPicos, 12);
  }

  /** Returns the record of these totals, without epsilon at delta, which depends on the limits. */
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
