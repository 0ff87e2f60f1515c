package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;

/**
 * Means over sampled losses of a mechanism whose loss has a symmetric pair: under one input, a loss
 * l is exp(l) times as probable as -l. Each mean is of an even function that has the same
 * expectation, and less variance: l tanh(l / 2) instead of l.
 */
final class SampledLosses {
  private static final int DRAWS = 1_000_000;

  /** Of a true value, refused with a probability of less than 1e-6. */
  private static final double ERRORS = 5;

  private final double[] losses = new double[DRAWS];

  SampledLosses(DoubleSupplier draw) {
    for (int i = 0; i < DRAWS; i++) {
      losses[i] = draw.getAsDouble();
    }
  }

  /** Doesn't refute the numbers of a loss, and refutes each of them if it is a fifth too low. */
  void assertAgree(PureLoss loss, double order) {
    assertRenyi(loss, order);
    assertMean(
        loss.mu(),
        l -> StrictMath.tanh(Math.abs(l) / 2),
        SampledLosses::variation,
        "mu of " + loss);
  }

  /** The same without mu. */
  void assertRenyi(PureLoss loss, double order) {
    assertMean(loss.rho(), l -> l * StrictMath.tanh(l / 2), rho -> rho, "rho of " + loss);
    double x = order - 1;
    assertMean(
        loss.renyi(order),
        l ->
            2
                * StrictMath.sinh((x + 1) * l / 2)
                * StrictMath.sinh(x * l / 2)
                / StrictMath.cosh(l / 2),
        divergence -> StrictMath.expm1(x * divergence),
        "divergence of order " + order + " of " + loss);
  }

  /** The total variation that mu-GDP allows. */
  private static double variation(double mu) {
    return StrictMath.exp(GaussianDp.logDelta(0, mu));
  }

  private void assertMean(
      double claimed, DoubleUnaryOperator of, DoubleUnaryOperator expected, String what) {
    double sum = 0;
    double squares = 0;
    for (double loss : losses) {
      double value = of.applyAsDouble(loss);
      sum += value;
      squares += value * value;
    }
    double mean = sum / DRAWS;
    double error = StrictMath.sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assertThat(expected.applyAsDouble(claimed)).as(what).isGreaterThan(mean - ERRORS * error);
    assertThat(expected.applyAsDouble(0.8 * claimed))
        .as(what + ", a fifth too low")
        .isLessThan(mean - ERRORS * error);
  }
}
