package io.croupier.accounting;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The composition of one mu-GDP mechanism with pure ones, exactly: with the privacy losses S_i of
 * randomised responses (the worst of all pure mechanisms [KOV17]),
 *
 * <pre>
 *   delta(epsilon) = E delta(epsilon - S_1 - ... - S_n; mu)
 * </pre>
 *
 * <p>and the delta of {@link GaussianDp}. For mu = 0 it is the optimal composition of pure reports.
 * No smaller delta holds for all mechanisms with these parameters. The parameters must be fixed in
 * advance, though queries may depend on earlier answers; for adaptively chosen parameters see
 * {@link RenyiFilter}.
 *
 * <p>Exactness is #P-hard in general [MV16], so the cost is bounded: equal epsilons are grouped,
 * and n of them take O(sqrt(n)) points. The numbers of points of groups multiply; if they would
 * exceed 2^15, losses move to a grid, towards less privacy ({@link #exact} is then false). Lists
 * that would take more than 2^28 steps are refused. One evaluation costs O(points).
 *
 * <p>Immutable.
 */
public final class ExactComposition {
  private static final double MOST_STEPS = 0x1p28;
  private static final double MOST_POINTS = 0x1p15;

  /**
   * Exceeds the relative error of a delta, which is a sum of 2^15 terms, each a chain of ratios.
   */
  private static final double ERROR = 1e-11;

  private static final int HALVINGS = 60;

  private final double mu;
  private final double sum;
  private final LossDistribution losses;

  private ExactComposition(double mu, double sum, LossDistribution losses) {
    this.mu = mu;
    this.sum = sum;
    this.losses = losses;
  }

  /**
   * Creates the composition; empty if the list is too long and diverse, so that only bounds are
   * available.
   *
   * @param mu at least 0, finite
   * @param pureReports number of reports by epsilon; both at least 0, epsilons finite
   */
  public static Optional<ExactComposition> of(double mu, Map<Double, Long> pureReports) {
    if (!(mu >= 0 && mu <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("mu", mu, "it must be at least 0 and finite");
    }
    List<Map.Entry<Double, Long>> groups = new ArrayList<>(pureReports.entrySet());
    groups.removeIf(g -> g.getKey() == 0 || g.getValue() == 0);
    // Groups with few points come first, which keeps the result exact as long as possible; the
    // order is deterministic.
    groups.sort(
        Map.Entry.<Double, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()));
    double steps = 0;
    double points = 1;
    double sum = 0;
    for (Map.Entry<Double, Long> group : groups) {
      double epsilon = group.getKey();
      if (!(epsilon >= 0 && epsilon <= Double.MAX_VALUE)) {
        throw ArgumentChecks.refusal("epsilon", epsilon, "it must be at least 0 and finite");
      }
      ArgumentChecks.notNegative("reports", group.getValue());
      double more = LossDistribution.points(group.getValue());
      steps += points * more;
      points = groups.size() == 1 ? more : Math.min(points * more, MOST_POINTS);
      sum += epsilon * group.getValue();
    }
    if (!(steps <= MOST_STEPS && points * HALVINGS <= MOST_STEPS && sum <= Double.MAX_VALUE)) {
      return Optional.empty();
    }
    return Optional.of(new ExactComposition(mu, sum, losses(groups)));
  }

  private static LossDistribution losses(List<Map.Entry<Double, Long>> groups) {
    if (groups.size() == 1) {
      return LossDistribution.ofReports(groups.get(0).getKey(), groups.get(0).getValue());
    }
    LossDistribution losses = LossDistribution.none();
    for (Map.Entry<Double, Long> group : groups) {
      losses = losses.plus(LossDistribution.ofReports(group.getKey(), group.getValue()));
    }
    return losses;
  }

  /** Whether rounding is the only error; otherwise results err towards less privacy. */
  public boolean exact() {
    return losses.exact;
  }

  /**
   * The natural logarithm of the least delta at epsilon. Relative error of delta: 1e-11.
   *
   * @param epsilon in nats
   */
  public double logDelta(double epsilon) {
    ArgumentChecks.number("epsilon", epsilon);
    double delta = losses.lost;
    for (int i = 0; i < losses.losses.length; i++) {
      double rest = epsilon - losses.losses[i];
      delta += losses.probabilities[i] * StrictMath.exp(GaussianDp.logDelta(rest, mu));
    }
    return StrictMath.log(Math.min(1, delta));
  }

  /**
   * The least epsilon of at least 0 at delta, rounded up; never above basic composition.
   *
   * @param logDelta natural logarithm of delta, at most 0
   */
  public double epsilon(double logDelta) {
    ArgumentChecks.logProbability("logDelta", logDelta);
    double target = logDelta - ERROR;
    double high = sum * (1 + RenyiDp.ROUNDING) + GaussianDp.epsilon(mu, logDelta);
    if (!(high <= Double.MAX_VALUE) || logDelta == 0 || logDelta(0) <= target) {
      return high <= Double.MAX_VALUE ? 0 : high;
    }
    double low = 0;
    for (int i = 0; i < HALVINGS && high - low > 0x1p-44 * high; i++) {
      double middle = low + (high - low) / 2;
      if (logDelta(middle) <= target) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }
}
