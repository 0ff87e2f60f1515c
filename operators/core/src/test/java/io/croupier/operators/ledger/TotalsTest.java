package io.croupier.operators.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.report.ReportDraft;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs of reports and their sums, against unbounded decimal arithmetic. */
class TotalsTest {
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final MathContext PRECISE = new MathContext(60);

  @Test
  void tenTimesATenthIsExactlyOne() {
    Totals totals = new Totals();
    for (int n = 0; n < 10; n++) {
      totals.add(TestReports.cost(TestReports.laplace(n, 0.1)));
    }
    assertThat(totals.epsilonNanos).isEqualTo(1_000_000_000);
    assertThat(totals.epsilon()).isEqualTo(1.0);
    assertThat(totals.reports).isEqualTo(10);
  }

  @Test
  void muAddsUpInSquares() {
    Totals totals = new Totals();
    for (int n = 0; n < 4; n++) {
      totals.add(TestReports.cost(TestReports.gaussian(n, 0.3756)));
    }
    assertThat(totals.muSquaredPicos).isEqualTo(4 * 375_600L * 375_600L);
    assertThat(totals.mu()).isEqualTo(0.7512);
    assertThat(totals.rhoPicos).isEqualTo(2 * 375_600L * 375_600L);
    assertThat(totals.epsilonNanos).isZero();
  }

  @Test
  void countsUndisclosedAndUnboundedReports() {
    Totals totals = new Totals();
    totals.add(TestReports.cost(TestReports.undisclosed(0)));
    totals.add(TestReports.cost(TestReports.coordinates(1, 0.25, Double.POSITIVE_INFINITY, 0.5)));
    totals.add(TestReports.cost(TestReports.coordinates(2, Double.POSITIVE_INFINITY)));
    assertThat(totals.reports).isEqualTo(3);
    assertThat(totals.undisclosed).isEqualTo(1);
    assertThat(totals.unbounded).isEqualTo(2);
    assertThat(totals.epsilonNanos).isEqualTo(750_000_000);
  }

  @Test
  void tausAreSummedExactlyAndRoundedUpOnce() {
    // Each alone would round up to one unit.
    assertThat(TestReports.cost(TestReports.coordinates(0, 4e-10, 6e-10)).epsilonNanos)
        .isEqualTo(1);
    assertThat(TestReports.cost(TestReports.coordinates(0, 4e-10, 6.1e-10)).epsilonNanos)
        .isEqualTo(2);
    assertThat(TestReports.cost(TestReports.coordinates(0, 0.1, 0.1, 0.1)).epsilonNanos)
        .isEqualTo(300_000_000);
  }

  @ParameterizedTest
  @CsvSource({"4.9e-324, 1", "1e-9, 1", "1.0000000001e-9, 2", "0.3, 300000000", "2, 2000000000"})
  void epsilonsAreRoundedUp(double epsilon, long nanos) {
    assertThat(TestReports.cost(TestReports.laplace(0, epsilon)).epsilonNanos).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(doubles = {9.3e9, 1e18, 1e100, Double.MAX_VALUE})
  void sumsSaturate(double level) {
    Totals laplace = TestReports.cost(TestReports.laplace(0, level));
    assertThat(laplace.epsilonNanos).isEqualTo(Long.MAX_VALUE);
    assertThat(laplace.rhoPicos).isEqualTo(Long.MAX_VALUE);
    laplace.add(laplace);
    assertThat(laplace.epsilonNanos).isEqualTo(Long.MAX_VALUE);
    Totals gaussian = TestReports.cost(TestReports.gaussian(0, level));
    assertThat(gaussian.muSquaredPicos).isEqualTo(Long.MAX_VALUE);
    assertThat(gaussian.rhoPicos).isEqualTo(Long.MAX_VALUE);
    assertThat(gaussian.mu()).isInfinite();
    assertThat(gaussian.muOfAll()).isInfinite();
    assertThat(gaussian.rho()).isInfinite();
    assertThat(laplace.epsilon()).isInfinite();
    Totals coordinates = TestReports.cost(TestReports.coordinates(0, 1, level, 1));
    assertThat(coordinates.epsilonNanos).isEqualTo(Long.MAX_VALUE);
    assertThat(coordinates.toProto().getEpsilon()).isInfinite();
  }

  @Test
  void randomDecimalsCostTheirDecimalValue() {
    int inputs = Integer.getInteger("inputs", 20_000);
    long seed = 41;
    Random random = new Random(seed);
    for (int n = 0; n < inputs; n++) {
      BigDecimal written = decimal(random);
      double declared = written.doubleValue();
      String message = "seed " + seed + ", " + written;
      assertThat(TestReports.cost(TestReports.laplace(0, declared)).epsilonNanos)
          .as(message)
          .isEqualTo(units(written, 9));
      assertThat(TestReports.cost(TestReports.gaussian(0, declared)).muSquaredPicos)
          .as(message)
          .isEqualTo(units(written.multiply(written), 12));
    }
  }

  @Test
  void totalsEqualUnboundedDecimalArithmetic() {
    long seed = 43;
    Random random = new Random(seed);
    for (int run = 0; run < 50; run++) {
      Totals totals = new Totals();
      BigDecimal epsilon = BigDecimal.ZERO;
      BigDecimal muSquared = BigDecimal.ZERO;
      for (int n = 0; n < 100; n++) {
        BigDecimal first = decimal(random);
        BigDecimal second = decimal(random);
        ReportDraft report =
            switch (random.nextInt(3)) {
              case 0 -> TestReports.laplace(n, first.doubleValue());
              case 1 -> TestReports.gaussian(n, first.doubleValue());
              default -> TestReports.coordinates(n, first.doubleValue(), second.doubleValue());
            };
        totals.add(TestReports.cost(report));
        if (report.mechanism instanceof L2LaplaceMechanism) {
          epsilon = epsilon.add(ceiling(first, 9));
        } else if (report.mechanism instanceof GaussianMechanism) {
          muSquared = muSquared.add(ceiling(first.multiply(first), 12));
        } else {
          epsilon = epsilon.add(ceiling(first.add(second), 9));
        }
      }
      String message = "seed " + seed + ", run " + run;
      assertThat(totals.epsilonNanos).as(message).isEqualTo(units(epsilon, 9));
      assertThat(totals.muSquaredPicos).as(message).isEqualTo(units(muSquared, 12));
      assertSound(totals, message);
    }
  }

  /** Printed totals are never below the counted ones, and at most slightly above. */
  private static void assertSound(Totals totals, String message) {
    BigDecimal epsilon = BigDecimal.valueOf(totals.epsilonNanos, 9);
    assertThat(BigDecimal.valueOf(totals.epsilon())).as(message).isGreaterThanOrEqualTo(epsilon);
    assertThat(totals.epsilon())
        .as(message)
        .isLessThanOrEqualTo(epsilon.doubleValue() * (1 + 1e-15));
    if (totals.muSquaredPicos == Long.MAX_VALUE) {
      assertThat(totals.mu()).as(message).isInfinite();
      assertThat(totals.rho()).as(message).isInfinite();
      return;
    }
    BigDecimal muSquared = BigDecimal.valueOf(totals.muSquaredPicos, 12);
    BigDecimal mu = BigDecimal.valueOf(totals.mu());
    assertThat(mu.multiply(mu)).as(message).isGreaterThanOrEqualTo(muSquared);
    assertThat(totals.mu())
        .as(message)
        .isLessThanOrEqualTo(muSquared.sqrt(MathContext.DECIMAL64).doubleValue() * (1 + 2e-15));
    BigDecimal rho = BigDecimal.valueOf(totals.rhoPicos, 12);
    assertThat(BigDecimal.valueOf(totals.rho())).as(message).isGreaterThanOrEqualTo(rho);
  }

  @Test
  void printedTotalsAreNeverBelowWhatTheyCount() {
    long seed = 47;
    Random random = new Random(seed);
    for (int n = 0; n < 5000; n++) {
      Totals totals = new Totals();
      totals.epsilonNanos = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(62);
      totals.muSquaredPicos = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(62);
      totals.rhoPicos = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(62);
      assertSound(totals, "seed " + seed + ", " + n);
    }
  }

  @Test
  void rhoIsTheTightConstantRoundedUp() {
    long seed = 53;
    Random random = new Random(seed);
    for (int n = 0; n < 300; n++) {
      double epsilon = Math.scalb(1 + random.nextDouble(), random.nextInt(24) - 20);
      BigDecimal e = new BigDecimal(epsilon);
      BigDecimal exp = exp(e);
      BigDecimal tanh = exp.subtract(BigDecimal.ONE).divide(exp.add(BigDecimal.ONE), PRECISE);
      double picos = e.multiply(tanh).movePointRight(12).doubleValue();
      long rho = TestReports.cost(TestReports.answer(0, epsilon)).rhoPicos;
      assertThat((double) rho)
          .as("seed %s, epsilon %s", seed, epsilon)
          .isGreaterThanOrEqualTo(picos);
      assertThat((double) rho).isLessThanOrEqualTo(picos * (1 + 1e-14) + 1);
    }
  }

  private static BigDecimal exp(BigDecimal x) {
    BigDecimal halved = x.divide(BigDecimal.valueOf(1024), PRECISE);
    BigDecimal term = BigDecimal.ONE;
    BigDecimal sum = BigDecimal.ONE;
    for (int k = 1; k < 40; k++) {
      term = term.multiply(halved).divide(BigDecimal.valueOf(k), PRECISE);
      sum = sum.add(term, PRECISE);
    }
    return sum.pow(1024, PRECISE);
  }

  /** A positive decimal of up to 15 digits, as users write them. */
  private static BigDecimal decimal(Random random) {
    long digits = 1 + random.nextLong(BigDecimal.TEN.pow(1 + random.nextInt(15)).longValue() - 1);
    int integerDigits = random.nextInt(6);
    int length = BigDecimal.valueOf(digits).precision();
    return BigDecimal.valueOf(digits, Math.max(0, length - integerDigits + random.nextInt(3)));
  }

  private static long units(BigDecimal number, int decimals) {
    return ceiling(number, decimals).movePointRight(decimals).min(LARGEST).longValueExact();
  }

  private static BigDecimal ceiling(BigDecimal number, int decimals) {
    return number.setScale(decimals, RoundingMode.CEILING);
  }

  @Test
  void aStateWithoutMuOfItsPureReportsCountsABoundOnThem() {
    Totals kept = new Totals();
    for (int n = 0; n < 30; n++) {
      kept.add(TestReports.cost(TestReports.laplace(n, 0.3)));
      kept.add(TestReports.cost(TestReports.gaussian(n, 0.2)));
    }
    Totals old = new Totals();
    old.reports = kept.reports;
    old.epsilonNanos = kept.epsilonNanos;
    old.muSquaredPicos = kept.muSquaredPicos;
    old.rhoPicos = kept.rhoPicos;
    double before = kept.muOfAll();
    assertThat(old.muOfAll()).isBetween(before, 2 * before);
    Totals cost = TestReports.cost(TestReports.laplace(60, 0.3));
    kept.add(cost);
    old.add(cost);
    assertThat(old.pureMuSquaredPicos).isGreaterThanOrEqualTo(kept.pureMuSquaredPicos);
    assertThat(old.muOfAll()).isBetween(kept.muOfAll(), 2 * kept.muOfAll());
  }
}
