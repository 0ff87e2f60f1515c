package io.croupier.client.loss;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Errors against series of 40 digits. */
class PortableMathTest {
  private static final MathContext DIGITS = new MathContext(40);
  private static final int ARGUMENTS = 2000;

  /** e^x by squaring the series of x / 2^12. */
  private static BigDecimal exp(BigDecimal x) {
    BigDecimal part = x.divide(new BigDecimal(4096), DIGITS);
    BigDecimal term = BigDecimal.ONE;
    BigDecimal sum = BigDecimal.ONE;
    for (int n = 1; n <= 30; n++) {
      term = term.multiply(part, DIGITS).divide(new BigDecimal(n), DIGITS);
      sum = sum.add(term, DIGITS);
    }
    for (int n = 0; n < 12; n++) {
      sum = sum.multiply(sum, DIGITS);
    }
    return sum;
  }

  /** ln(1 + x) by two steps of Halley's method, each of which cubes the error. */
  private static BigDecimal log1p(BigDecimal x) {
    BigDecimal value = x.add(BigDecimal.ONE);
    BigDecimal y = new BigDecimal(Math.log1p(x.doubleValue()));
    for (int n = 0; n < 2; n++) {
      BigDecimal power = exp(y);
      BigDecimal step = value.subtract(power).divide(value.add(power), DIGITS);
      y = y.add(step.multiply(new BigDecimal(2)), DIGITS);
    }
    return y;
  }

  /** The largest error in ulps, over arguments of many magnitudes up to a largest one. */
  private static double error(
      DoubleUnaryOperator actual, UnaryOperator<BigDecimal> exact, double largest) {
    SplittableRandom random = new SplittableRandom(5);
    double error = 0;
    for (int n = 0; n < ARGUMENTS; n++) {
      double x = largest * Math.scalb(random.nextDouble(), -random.nextInt(20));
      BigDecimal expected = exact.apply(new BigDecimal(x));
      BigDecimal difference = new BigDecimal(actual.applyAsDouble(x)).subtract(expected).abs();
      error = Math.max(error, difference.doubleValue() / Math.ulp(expected.doubleValue()));
    }
    return error;
  }

  @Tag("ci")
  @Test
  void theErrorsAreThoseThatAreStated() {
    assertThat(error(PortableMath::exp, PortableMathTest::exp, -689)).isBetween(0.5, 1.0);
    assertThat(error(PortableMath::exp, PortableMathTest::exp, -1)).isBetween(0.5, 1.0);
    assertThat(error(PortableMath::log1p, PortableMathTest::log1p, 1)).isBetween(0.5, 2.0);
    assertThat(error(PortableMath::log1p, PortableMathTest::log1p, 1024)).isBetween(0.5, 2.0);
    UnaryOperator<BigDecimal> probability =
        x -> BigDecimal.ONE.divide(BigDecimal.ONE.add(exp(x.negate()), DIGITS), DIGITS);
    assertThat(error(PortableMath::probability, probability, -600)).isLessThan(4);
    assertThat(error(PortableMath::probability, probability, 40)).isLessThan(4);
  }

  @Test
  void theEndsAreExact() {
    assertThat(PortableMath.exp(0)).isEqualTo(1);
    assertThat(PortableMath.exp(-0.0)).isEqualTo(1);
    assertThat(PortableMath.exp(-690)).isBetween(1e-300, 1e-299);
    assertThat(PortableMath.exp(Double.NEGATIVE_INFINITY)).isZero();
    assertThat(PortableMath.exp(Double.NaN)).isNaN();
    assertThat(PortableMath.log1p(0)).isZero();
    assertThat(PortableMath.log1p(Double.MIN_VALUE)).isEqualTo(Double.MIN_VALUE);
    assertThat(PortableMath.log1p(Double.NaN)).isNaN();
    assertThat(PortableMath.probability(Double.POSITIVE_INFINITY)).isEqualTo(1);
    assertThat(PortableMath.probability(Double.NEGATIVE_INFINITY)).isZero();
    assertThat(PortableMath.probability(0)).isEqualTo(0.5);
  }
}
