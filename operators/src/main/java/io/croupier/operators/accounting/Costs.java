package io.croupier.operators.accounting;

import io.croupier.accounting.DecimalNorm;
import io.croupier.operators.report.Clip;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorBytes;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventOrBuilder;
import io.croupier.schemas.Central;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.CoordinateLaplaceTotal;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Undisclosed;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The cost of one report by its own declaration. It uses only the fields that the {@link
 * AccountingEvent} repeats, so that the accounts can be recomputed from the events, to the last
 * unit. (A central report costs what its {@link Participation} does.)
 *
 * <p>A Gaussian mu has rho = mu^2 / 2 [BS16, Prop. 1.6]; for a pure epsilon see {@link PureCosts}.
 */
final class Costs {
  /** More than an account can contain; beyond it the remaining taus need no exact sum. */
  private static final double TOO_MUCH = 1e10;

  /**
   * Largest total variation of one report that is counted; a larger one exceeds every delta in use,
   * so it saturates.
   */
  private static final double MOST_VARIATION = 1e-3;

  /** Replacing one user's data moves a sum by at most twice the norm of their contribution. */
  private static final BigDecimal PICOS_BY_ZETA = BigDecimal.valueOf(4).movePointRight(12);

  private Costs() {}

  /** Copies a report's declaration into its event; {@link #of} needs nothing else of the report. */
  static void declare(Report report, AccountingEvent.Builder event) {
    switch (report.declaration) {
      case UNDISCLOSED -> event.setUndisclosed(Undisclosed.getDefaultInstance());
      case L2_LAPLACE -> event.setL2Laplace(L2Laplace.newBuilder().setEpsilon(report.level));
      case COORDINATE_LAPLACE ->
          event.setCoordinateLaplace(
              CoordinateLaplaceTotal.newBuilder()
                  .setEpsilon(epsilon(report))
                  .setNotPrivate(openCoordinates(report))
                  .setClip(clip(report.clip)));
      case GAUSSIAN -> event.setGaussian(Gaussian.newBuilder().setMu(report.level));
      case PRIV_UNIT ->
          event.setPrivUnit(
              PrivUnit.newBuilder()
                  .setEpsilon(report.level)
                  .setCandidates(report.candidates)
                  .setTop(report.top));
      case CENTRAL -> event.setCentral(Central.getDefaultInstance());
    }
  }

  /**
   * Returns what a report costs, whatever its outcome, from the fields of its event. A central
   * report that was not charged only counts as a report.
   *
   * @throws IllegalArgumentException if the event has no declaration, or an impossible one
   */
  static Totals of(AccountingEventOrBuilder event) {
    return switch (event.getDeclarationCase()) {
      case UNDISCLOSED -> undisclosed();
      case L2_LAPLACE -> pure(event.getL2Laplace().getEpsilon());
      case PRIV_UNIT -> pure(event.getPrivUnit().getEpsilon());
      case COORDINATE_LAPLACE -> {
        CoordinateLaplaceTotal total = event.getCoordinateLaplace();
        yield coordinates(total.getEpsilon(), total.getNotPrivate());
      }
      case GAUSSIAN -> varied(gaussian(event.getGaussian().getMu()), event.getSpent());
      case CENTRAL ->
          event.hasCentralSpend()
              ? varied(central(event.getCentralSpend()), event.getSpent())
              : one();
      case DECLARATION_NOT_SET ->
          throw new IllegalArgumentException(
              "declaration of the accounting event is missing: it must be the report's");
    };
  }

  /**
   * Adds the total variation that the event records; it follows from the model's grid, which the
   * event doesn't contain.
   */
  private static Totals varied(Totals cost, Spend recorded) {
    if (!(recorded.getTotalVariation() >= 0 && recorded.getVariationRate() >= 0)) {
      throw new IllegalArgumentException(
          "spent.total_variation of the accounting event is %s, its variation_rate %s; both must be at least 0"
              .formatted(recorded.getTotalVariation(), recorded.getVariationRate()));
    }
    vary(cost, recorded.getTotalVariation(), recorded.getVariationRate());
    return cost;
  }

  private static Totals one() {
    Totals cost = new Totals();
    cost.reports = 1;
    return cost;
  }

  private static Totals central(CentralSpend recorded) {
    if (!(recorded.getZeta() >= 0 && recorded.getZeta() <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "central_spend.zeta of the accounting event is "
              + recorded.getZeta()
              + "; it must be finite and at least 0");
    }
    if (!(recorded.getNoiseMultiplier() > 0 && recorded.getNoiseMultiplier() <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "central_spend.noise_multiplier of the accounting event is "
              + recorded.getNoiseMultiplier()
              + "; it must be positive and finite");
    }
    return central(recorded.getZeta(), recorded.getNoiseMultiplier(), 0);
  }

  /**
   * Returns the cost of a participation in a central model: mu^2 = 4 zeta / sigma^2, rounded up
   * once.
   *
   * @param zeta a quarter of the growth of the squared sensitivity, at least 0
   * @param noiseMultiplier sigma, positive
   * @param variation the total variation between the noise and the continuous law of mu
   */
  static Totals central(double zeta, double noiseMultiplier, double variation) {
    BigDecimal sigma = BigDecimal.valueOf(noiseMultiplier);
    BigDecimal picos =
        BigDecimal.valueOf(zeta)
            .multiply(PICOS_BY_ZETA)
            .divide(sigma.multiply(sigma), 0, RoundingMode.CEILING);
    Totals cost = gaussianPicos(DecimalUnits.roundUp(picos, 0));
    double muSquared = 4 * zeta / noiseMultiplier / noiseMultiplier;
    vary(cost, variation, variation > 0 ? variation / muSquared : 0);
    return cost;
  }

  /**
   * Adds to the cost of Gaussian noise the distance of its law from the continuous law of mu.
   *
   * @param variation total variation, at least 0
   * @param rate upper bound on the total variation per unit of mu^2, for every report to the model;
   *     0 if unknown
   */
  static void vary(Totals cost, double variation, double rate) {
    if (variation > 0) {
      cost.variationAttos =
          variation <= MOST_VARIATION
              ? DecimalUnits.roundUp(variation, 18)
              : DecimalUnits.SATURATED;
    }
    cost.variationRate = rate;
  }

  private static Totals undisclosed() {
    Totals cost = one();
    cost.undisclosed = 1;
    return cost;
  }

  private static Totals coordinates(double epsilon, int openCoordinates) {
    Totals cost = epsilon > 0 ? pure(epsilon) : one();
    cost.unbounded = openCoordinates > 0 ? 1 : 0;
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
    return gaussianPicos(muSquaredPicos(mu));
  }

  private static Totals gaussianPicos(long muSquaredPicos) {
    Totals cost = one();
    cost.muSquaredPicos = muSquaredPicos;
    cost.rhoPicos = half(cost.muSquaredPicos);
    cost.gaussianFirst = true;
    return cost;
  }

  private static CoordinateLaplace.Clip clip(Clip clip) {
    return switch (clip) {
      case UNSPECIFIED -> CoordinateLaplace.Clip.CLIP_UNSPECIFIED;
      case L2 -> CoordinateLaplace.Clip.L2;
      case COORDINATES -> CoordinateLaplace.Clip.COORDINATES;
    };
  }

  /**
   * Returns how many coordinates of a report with coordinate-wise noise have no noise: those with
   * an infinite tau, and those that a sparse report doesn't name. 0 for other declarations.
   */
  static int openCoordinates(Report report) {
    if (report.declaration != Declaration.COORDINATE_LAPLACE) {
      return 0;
    }
    int count = report.taus.length / Double.BYTES;
    int open = report.dimension - count;
    for (int i = 0; i < count; i++) {
      if (VectorBytes.doubleAt(report.taus, i) == Double.POSITIVE_INFINITY) {
        open++;
      }
    }
    return open;
  }

  /**
   * Returns the epsilon of a report with coordinate-wise noise. With D the difference of two
   * clipped gradients, the privacy loss is at most the sum of tau_j |D_j| / 2G. If the clip bounds
   * the L2 norm, ||D|| &lt;= 2G, so the sum is at most ||tau||; if it bounds coordinates, or is not
   * declared, |D_j| &lt;= 2G, so the sum is at most the sum of the taus. Coordinates without noise
   * are unbounded, and counted separately.
   */
  private static double epsilon(Report report) {
    boolean norm = report.clip == Clip.L2 && openCoordinates(report) == 0;
    long nanos = norm ? normOfTausNanos(report.taus) : sumOfFiniteTausNanos(report.taus);
    return DecimalUnits.toDouble(nanos, 9);
  }

  /** The taus must be finite. */
  private static long normOfTausNanos(byte[] taus) {
    int count = taus.length / Double.BYTES;
    DecimalNorm norm = new DecimalNorm();
    for (int from = 0, to; from < count; from = to) {
      double tau = VectorBytes.doubleAt(taus, from);
      if (tau >= TOO_MUCH) {
        return DecimalUnits.SATURATED;
      }
      to = endOfRun(taus, from, count);
      norm.add(tau, to - from);
    }
    return DecimalUnits.roundUp(norm.roundUp(9), 9);
  }

  /** Returns the end of a run of equal taus; most reports have a single run. */
  private static int endOfRun(byte[] taus, int from, int count) {
    double tau = VectorBytes.doubleAt(taus, from);
    int to = from + 1;
    while (to < count && VectorBytes.doubleAt(taus, to) == tau) {
      to++;
    }
    return to;
  }

  /** Adds the decimals exactly and rounds their sum up once, to units of 1e-9. */
  private static long sumOfFiniteTausNanos(byte[] taus) {
    int count = taus.length / Double.BYTES;
    long exact = 0;
    DecimalSum rest = new DecimalSum();
    for (int from = 0, to; from < count; from = to) {
      double tau = VectorBytes.doubleAt(taus, from);
      to = endOfRun(taus, from, count);
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
        rest.add(tau, to - from);
      }
    }
    return DecimalUnits.add(exact, DecimalUnits.roundUp(rest.toBigDecimal(), 9));
  }

  /** Returns the square of a mu in units of 1e-12, rounded up; saturated for an infinite mu. */
  static long muSquaredPicos(double mu) {
    if (mu == Double.POSITIVE_INFINITY) {
      return DecimalUnits.SATURATED;
    }
    long micros = DecimalUnits.exactly(mu, 6);
    if (micros >= 0) {
      return DecimalUnits.multiply(micros, micros);
    }
    BigDecimal decimal = BigDecimal.valueOf(mu);
    return DecimalUnits.roundUp(decimal.multiply(decimal), 12);
  }

  /**
   * Returns half of a ceiling, rounded up. That equals rounding up once: ceil(ceil(x) / 2) is
   * ceil(x / 2).
   */
  static long half(long picos) {
    return picos == DecimalUnits.SATURATED ? picos : picos / 2 + picos % 2;
  }
}
