package io.croupier.operators.report;

import org.apache.commons.math3.analysis.solvers.AllowedSolution;
import org.apache.commons.math3.analysis.solvers.BracketingNthOrderBrentSolver;
import org.apache.commons.numbers.gamma.RegularizedGamma;

/**
 * Values that Gamma variables exceed with probability 2^-40, rounded up.
 *
 * <p>Method: solve ln Q(shape, x) = -40 ln 2 for x, with Q the upper regularised incomplete gamma
 * function, by a bracketing solver that stays on the side of the smaller tail. The bracket is
 * proved: a Gamma variable of shape a exceeds a + sqrt(2 a s) + s with probability at most exp(-s).
 */
final class NoiseTail {
  /** s with exp(-s) = 2^-40, the tail that is ignored. */
  static final double EXPONENT = 40 * StrictMath.log(2);

  /** Relative accuracy of the solution; the result is increased by the same amount. */
  private static final double ACCURACY = 1e-12;

  private static final int MOST_EVALUATIONS = 200;

  private NoiseTail() {}

  /** The quantile of a Gamma variable of this shape and scale 1. */
  static double gamma(double shape) {
    double upper = (shape + Math.sqrt(2 * shape * EXPONENT) + EXPONENT) * (1 + ACCURACY);
    double root =
        new BracketingNthOrderBrentSolver(ACCURACY, ACCURACY * shape, 5)
            .solve(
                MOST_EVALUATIONS,
                x -> StrictMath.log(RegularizedGamma.Q.value(shape, x)) + EXPONENT,
                shape,
                upper,
                AllowedSolution.BELOW_SIDE);
    return root * (1 + ACCURACY);
  }
}
