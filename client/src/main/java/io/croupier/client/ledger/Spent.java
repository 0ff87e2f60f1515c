package io.croupier.client.ledger;

import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;

/**
 * What reports add up to; what one costs is the total of that one. Relation: replace-one. A report
 * that doesn't disclose its noise is charged like one that does: here it is known.
 *
 * <p>Invariants: (1) no number is negative; (2) adding lowers none; (3) {@link Long#MAX_VALUE}
 * stands for anything from there on, and stays.
 *
 * @param reports all of them
 * @param epsilonNanos sum of the pure epsilons in units of 1e-9, each report rounded up
 * @param muSquaredPicos sum of mu^2 in units of 1e-12, each report rounded up
 * @param undisclosed reports that don't say what noise they carry
 */
public record Spent(long reports, long epsilonNanos, long muSquaredPicos, long undisclosed) {
  /** Before the first report. */
  public static final Spent NOTHING = new Spent(0, 0, 0, 0);

  private static final int EPSILON_DECIMALS = 9;
  private static final int MU_SQUARED_DECIMALS = 12;

  /**
   * What one release by {@code randomiser} costs.
   *
   * @throws IllegalArgumentException if that can't be told from what it declares
   */
  static Spent by(Randomiser randomiser) {
    boolean undisclosed = false;
    Randomiser known = randomiser;
    while (known instanceof UndisclosedRandomiser unsaid) {
      undisclosed = true;
      known = unsaid.disclosing();
    }
    GradientReportView.Builder declared = GradientReportView.newBuilder();
    known.declareIn(declared);
    long epsilonNanos = 0;
    long muSquaredPicos = 0;
    switch (declared.getDeclarationCase()) {
      case L2_LAPLACE ->
          epsilonNanos =
              Decimals.roundUp(Decimals.of(declared.getL2Laplace().getEpsilon()), EPSILON_DECIMALS);
      case GAUSSIAN -> {
        BigDecimal mu = Decimals.of(declared.getGaussian().getMu());
        muSquaredPicos = Decimals.roundUp(mu.multiply(mu), MU_SQUARED_DECIMALS);
      }
      case COORDINATE_LAPLACE ->
          epsilonNanos =
              Decimals.roundUp(sumOfTaus((CoordinateLaplaceRandomiser) known), EPSILON_DECIMALS);
      default ->
          throw new IllegalArgumentException(
              "declaration of the randomiser is "
                  + declared.getDeclarationCase()
                  + "; it must be L2_LAPLACE, COORDINATE_LAPLACE or GAUSSIAN: the cost of others"
                  + " can't be told");
    }
    return new Spent(1, epsilonNanos, muSquaredPicos, undisclosed ? 1 : 0);
  }

  /** Equal taus in a row, the rule, are one product. */
  private static BigDecimal sumOfTaus(CoordinateLaplaceRandomiser randomiser) {
    BigDecimal sum = BigDecimal.ZERO;
    int end;
    for (int from = 0; from < randomiser.dimension(); from = end) {
      double tau = randomiser.tau(from);
      if (tau == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "taus[" + from + "] is Infinity; it must be finite: an open coordinate has no account");
      }
      for (end = from + 1; end < randomiser.dimension() && randomiser.tau(end) == tau; ) {
        end++;
      }
      sum = sum.add(Decimals.of(tau).multiply(BigDecimal.valueOf(end - from)));
    }
    return sum;
  }

  /** The sum, saturated. */
  public Spent plus(Spent other) {
    return new Spent(
        Decimals.add(reports, other.reports),
        Decimals.add(epsilonNanos, other.epsilonNanos),
        Decimals.add(muSquaredPicos, other.muSquaredPicos),
        Decimals.add(undisclosed, other.undisclosed));
  }

  /** The sum of the pure epsilons. */
  public BigDecimal epsilon() {
    return BigDecimal.valueOf(epsilonNanos, EPSILON_DECIMALS);
  }

  /** The sum of mu^2. */
  public BigDecimal muSquared() {
    return BigDecimal.valueOf(muSquaredPicos, MU_SQUARED_DECIMALS);
  }
}
