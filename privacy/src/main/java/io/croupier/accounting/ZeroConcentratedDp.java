package io.croupier.accounting;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Zero-concentrated differential privacy: rho bounds the Renyi divergence by rho a at every order a
 * [BS16]. Rhos add up, chosen adaptively or not.
 */
public final class ZeroConcentratedDp {
  private ZeroConcentratedDp() {}

  /**
   * The least epsilon, over all real orders, of [CKS20, Corollary 13] for rho at delta; at least 0,
   * rounded up.
   *
   * @param rho at least 0; may be infinite
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double epsilon(double rho, double logDelta) {
    ArgumentChecks.notNegative("rho", rho);
    ArgumentChecks.logProbability("logDelta", logDelta);
    if (rho == 0 || logDelta == 0) {
      return 0;
    }
    if (rho == Double.POSITIVE_INFINITY || logDelta == Double.NEGATIVE_INFINITY) {
      return Double.POSITIVE_INFINITY;
    }
    double x = RenyiDp.bestOrderMinusOne(rho, -logDelta);
    return Math.max(0, line(rho, 0, x, -logDelta));
  }

  /**
   * The same for a mechanism of rho together with pure ones. Each of the latter has a divergence of
   * at most min(epsilon, a rho) at order a, by its own epsilon and rho. Without the first bound,
   * the result for a single report would be several times its epsilon.
   *
   * <p>Between two orders at which a minimum switches from one bound to the other, the sum is
   * linear in a and has its own best order; the least of these results is returned. O(n log n) for
   * n different losses.
   *
   * @param rho at least 0; may be infinite
   * @param pureReports number of reports by loss; at least 0
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double epsilon(double rho, Map<PureLoss, Long> pureReports, double logDelta) {
    ArgumentChecks.notNegative("rho", rho);
    ArgumentChecks.logProbability("logDelta", logDelta);
    if (rho == Double.POSITIVE_INFINITY || logDelta == 0) {
      return logDelta == 0 ? 0 : rho;
    }
    List<Group> groups =
        pureReports.entrySet().stream()
            .filter(entry -> entry.getKey().epsilon() > 0)
            .map(entry -> Group.of(entry.getKey(), entry.getValue()))
            .sorted(Comparator.comparingDouble(Group::kink).reversed())
            .collect(Collectors.toUnmodifiableList());
    int n = groups.size();
    // Segment i: from the order at which group i and later ones count by their epsilon, to that of
    // the one before.
    double[] slope = new double[n + 1];
    double[] constant = new double[n + 1];
    slope[0] = rho;
    for (int i = 0; i < n; i++) {
      slope[i + 1] = slope[i] + groups.get(i).rho();
    }
    for (int i = n - 1; i >= 0; i--) {
      constant[i] = constant[i + 1] + groups.get(i).epsilon();
    }
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i <= n; i++) {
      double from = i == n ? 0 : groups.get(i).kink();
      double to = i == 0 ? Double.POSITIVE_INFINITY : groups.get(i - 1).kink();
      double up = 1 + n * RenyiDp.ROUNDING;
      least = Math.min(least, segment(slope[i] * up, constant[i] * up, from, to, -logDelta));
    }
    return Math.max(0, least);
  }

  /** The least epsilon for x = a - 1 between two bounds. */
  private static double segment(
      double slope, double constant, double from, double to, double logInverseDelta) {
    double best =
        logInverseDelta == Double.POSITIVE_INFINITY
            ? to
            : RenyiDp.bestOrderMinusOne(slope, logInverseDelta);
    double x = Math.max(from, Math.min(to, best));
    return x >= RenyiDp.LEAST_ORDER_MINUS_ONE
        ? line(slope, constant, x, logInverseDelta)
        : Double.POSITIVE_INFINITY;
  }

  /**
   * Reports of equal loss.
   *
   * @param epsilon of all together
   * @param rho of all together
   * @param kink x = a - 1 where epsilon = a rho
   */
  private record Group(double epsilon, double rho, double kink) {
    static Group of(PureLoss loss, long reports) {
      ArgumentChecks.notNegative("reports", reports);
      double epsilon = loss.epsilon();
      double rho = Math.max(Double.MIN_NORMAL, loss.rho()); // the square of a small loss vanishes
      double kink = loss.isResponse() ? 2 / StrictMath.expm1(epsilon) : epsilon / rho - 1;
      return new Group(epsilon * reports, rho * reports, Math.max(0, kink));
    }
  }

  /**
   * The order that attains {@link #epsilon}: a &gt; 1 with rho (a - 1)^2 + ln a = ln(1 / delta).
   * The least double above 1 if that is not one.
   *
   * @param rho above 0, finite
   * @param logDelta natural logarithm of delta, below 0, finite
   */
  public static double order(double rho, double logDelta) {
    if (!(rho > 0 && rho <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("rho", rho, "it must be positive and finite");
    }
    if (!(logDelta < 0 && logDelta >= -Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("logDelta", logDelta, "it must be negative and finite");
    }
    return Math.max(Math.nextUp(1.0), 1 + RenyiDp.bestOrderMinusOne(rho, -logDelta));
  }

  /** The epsilon of divergence slope a + constant at order a = 1 + x, rounded up. */
  static double line(double slope, double constant, double x, double logInverseDelta) {
    double divergence = slope == 0 ? constant : Math.fma(slope, x, slope) + constant;
    return divergence * (1 + RenyiDp.ROUNDING) + RenyiDp.overhead(x, logInverseDelta);
  }
}
