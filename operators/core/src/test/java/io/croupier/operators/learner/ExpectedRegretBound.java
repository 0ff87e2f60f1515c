package io.croupier.operators.learner;

/**
 * The regret bound of [vdH19, Theorem 1], with its numbers: against any u, for symmetric
 * subgradients of mean at most G,
 *
 * <pre>
 *   E regret <= 1 + |u| max(11G (ln(11G|u|) - 1 + ln(5 sqrt(11) G sqrt(pi / b))),
 *                           E sqrt(8B ln(16 u^2 B^(3/2) sqrt(pi / b) + 1))),   B = b + sum g~^2
 * </pre>
 *
 * <p>The paper prints sqrt(5)/4 in place of 5 sqrt(11), which is too small by a factor 30; that
 * bound does not hold (a test has the counterexample). Where |L| >= 2BC, the exponent v L - v^2 B
 * is at least |L| / (11G) for v in the last C / sqrt(11) of the betting range, so that F is at
 * least sqrt(b / pi) / (5 sqrt(11) G) exp(|L| / (11G)), whose convex conjugate is the first term.
 *
 * <p>Initial wealth W0 instead of 1 multiplies the potential, so that the bound is W0 times that of
 * u / W0. Without noise the bound holds for every sequence, without expectations.
 */
record ExpectedRegretBound(double gradientBound, double b) {

  /** Comparators, in units of 1 / G. */
  static final double[] COMPARATORS = {1e-3, 1e-2, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1e3};

  Prior prior() {
    return new Prior.Conjugate(b);
  }

  Potential potential() {
    return new Potential(prior(), 1 / (5 * gradientBound));
  }

  /** The term inside of the second expectation. */
  double adaptiveTerm(double u, double variance) {
    double total = b + variance;
    double argument = 16 * u * u * total * Math.sqrt(total) * Math.sqrt(Math.PI / b);
    return Math.sqrt(8 * total * Math.log1p(argument));
  }

  /** The bound, given the expectation of {@link #adaptiveTerm}. */
  double bound(double u, double adaptiveTerm) {
    return bound(u, adaptiveTerm, 5 * Math.sqrt(11));
  }

  /** The bound with the factor that the paper prints. */
  double printedBound(double u, double adaptiveTerm) {
    return bound(u, adaptiveTerm, Math.sqrt(5) / 4);
  }

  private double bound(double u, double adaptiveTerm, double factor) {
    double reach = 11 * gradientBound;
    double logarithms =
        Math.log(Math.abs(u) * reach)
            - 1
            + Math.log(factor * gradientBound * Math.sqrt(Math.PI / b));
    return 1 + Math.abs(u) * Math.max(reach * logarithms, adaptiveTerm);
  }
}
