package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.apache.commons.numbers.gamma.InverseErfc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link CoordinateLaplaceLoss} on a grid, against sums over all outputs of discrete noise. */
class GridLaplaceTest {
  private static final int SEED = 31;
  private static final double[] ORDERS = {1.01, 1.5, 2, 4, 16, 40};

  /** Noise of a scale in steps, between inputs that differ by whole steps. */
  private record Discrete(int steps, double scale) {
    private double loss(int z) {
      return (steps - 2 * z) / scale;
    }

    /** Of z steps; of at most 0, and of at least the difference, all have one loss. */
    private double probability(int z) {
      double ends = z == 0 || z == steps ? 1 : -StrictMath.expm1(-1 / scale);
      return ends * StrictMath.exp(-z / scale) / (1 + StrictMath.exp(-1 / scale));
    }

    /** Each loss with the opposite one, so that nothing cancels. */
    double mean() {
      double sum = 0;
      for (int z = 0; 2 * z < steps; z++) {
        sum -= loss(z) * probability(z) * StrictMath.expm1(-loss(z));
      }
      return sum;
    }

    double renyi(double order) {
      double x = order - 1;
      double growth = 0;
      for (int z = 0; 2 * z < steps; z++) {
        double one = StrictMath.expm1(x * loss(z));
        double opposite = StrictMath.expm1(-x * loss(z)) * StrictMath.exp(-loss(z));
        growth += probability(z) * (one + opposite);
      }
      return StrictMath.log1p(growth) / x;
    }

    /** The largest of all tests, whose errors are those of the class comment. */
    double mu() {
      double odds = StrictMath.exp(-1 / scale);
      double most = 0;
      for (int j = 0; j < steps; j++) {
        double first = StrictMath.exp((j - steps) / scale) / (1 + odds);
        double second = StrictMath.exp(-(j + 1) / scale) / (1 + odds);
        most = Math.max(most, InverseErfc.value(2 * first) + InverseErfc.value(2 * second));
      }
      return StrictMath.sqrt(2) * most;
    }
  }

  /** Reference values by mpmath with 40 digits, from the definitions. */
  @ParameterizedTest
  @CsvSource({
    "2, 1, 1.26424111765711536, 1.90364410791, 1.72012490719",
    "2, 2, 0.393469340287366576, 1.05412349421, 0.654827924874",
    "4, 8, 0.1075534546561081, 0.562895364546, 0.202115216087",
  })
  void theSumsAreTheLaw(int steps, double scale, double mean, double mu, double second) {
    Discrete law = new Discrete(steps, scale);
    assertThat(law.mean()).isCloseTo(mean, within(1e-15));
    assertThat(law.mu()).isCloseTo(mu, within(1e-11));
    assertThat(law.renyi(2)).isCloseTo(second, within(1e-11));
    double s = steps / scale;
    double closed = s + StrictMath.expm1(-s) / (scale * StrictMath.sinh(1 / scale));
    assertThat(law.mean()).isCloseTo(closed, within(1e-15));
  }

  /** 2G of the given steps, at every level of which a scale is at least a step. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 16, 33, 64, 256, 1001, 1 << 12, 1 << 15, 1 << 18})
  void isNeverBelowTheLawOnTheGrid(int steps) {
    for (double epsilon : new double[] {0.01, 0.1, 0.5, 1, 2, 4, 8, 16}) {
      double scale = Math.max(1, steps / epsilon);
      if (steps / scale != epsilon) {
        continue;
      }
      Discrete law = new Discrete(steps, scale);
      PureLoss loss = PureLoss.ofCoordinates(epsilon, 1, scale);
      double above = scale < 8 ? 0.25 : 1 / (3 * steps * scale);
      assertClose(loss + ": rho", loss.rho(), law.mean(), above + 1e-12);
      double mu = law.mu();
      assertClose(loss + ": mu^2", loss.mu() * loss.mu(), mu * mu, 0.3);
      for (double order : ORDERS) {
        assertClose(loss + ": order " + order, loss.renyi(order), law.renyi(order), 0.3);
      }
    }
  }

  private static void assertClose(String what, double charged, double exact, double above) {
    assertThat(charged / exact - 1).as(what).isBetween(-1e-13, above);
  }

  /** What continuous noise of the same scale loses is less. */
  @ParameterizedTest
  @CsvSource({"2, 1, 0.11", "2, 2, 0.069", "4, 8, 0.0095", "262144, 131072, 5e-12"})
  void continuousNoiseLosesLess(int steps, double scale, double share) {
    double epsilon = steps / scale;
    double exact = new Discrete(steps, scale).mean();
    assertThat(exact / PureLoss.ofCoordinates(epsilon, 1).rho() - 1).isGreaterThan(share);
  }

  /** Inputs that differ by a few steps in several coordinates, with noise of several scales. */
  @Test
  void noPairExceedsIt() {
    Random random = new Random(SEED);
    for (int n = 0; n < 3000; n++) {
      Discrete[] laws = new Discrete[1 + random.nextInt(8)];
      double sum = 0;
      double squares = 0;
      double least = Double.POSITIVE_INFINITY;
      double rho = 0;
      double muSquared = 0;
      double order = 1 + StrictMath.pow(10, 3 * random.nextDouble() - 2);
      double renyi = 0;
      double widest = StrictMath.pow(10, 3 * random.nextDouble());
      for (int j = 0; j < laws.length; j++) {
        double scale = StrictMath.pow(widest, random.nextDouble());
        laws[j] = new Discrete(1 + random.nextInt(random.nextBoolean() ? 3 : 30), scale);
        double s = laws[j].steps / scale;
        sum += s;
        squares += s * s;
        least = Math.min(least, scale);
        rho += laws[j].mean();
        muSquared += laws[j].mu() * laws[j].mu();
        renyi += laws[j].renyi(order);
      }
      PureLoss all = PureLoss.ofCoordinates(sum, sum * sum / squares * (1 - 1e-15), least);
      String what = "seed %d: %s, order %s".formatted(SEED, all, order);
      assertThat(rho).as(what).isLessThanOrEqualTo(all.rho() * (1 + 1e-12));
      assertThat(muSquared).as(what).isLessThanOrEqualTo(all.mu() * all.mu() * (1 + 1e-10));
      assertThat(renyi).as(what).isLessThanOrEqualTo(all.renyi(order) * (1 + 1e-12));
    }
  }

  /** At every epsilon and number of coordinates: above continuous noise, and growing by epsilon. */
  @Test
  void isAboveContinuousNoiseAndGrows() {
    Random random = new Random(SEED);
    for (int n = 0; n < 3000; n++) {
      double epsilon = StrictMath.pow(10, 200 * random.nextDouble() - 198);
      double coordinates = StrictMath.pow(10, 7 * random.nextDouble());
      double scale = StrictMath.pow(10, 8 * random.nextDouble());
      PureLoss loss = PureLoss.ofCoordinates(epsilon, coordinates, scale);
      PureLoss continuous = PureLoss.ofCoordinates(epsilon, coordinates);
      PureLoss larger = loss.at(epsilon * (1 + random.nextDouble()));
      assertThat(loss.rho()).isBetween(continuous.rho(), larger.rho() * (1 + 1e-12));
      assertThat(loss.mu()).isBetween(continuous.mu(), larger.mu() * (1 + 1e-10));
      assertThat(loss.renyi(3))
          .isBetween(continuous.renyi(3) * (1 - 1e-12), larger.renyi(3) * (1 + 1e-12));
    }
  }

  /** The distribution that compositions use has at least the delta of the law, at every epsilon. */
  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "16, 8", "33, 4"})
  void itsDistributionIsWorse(int steps, double scale) {
    Discrete law = new Discrete(steps, scale);
    LossGrid grid = LossGrid.of(PureLoss.ofCoordinates(steps / scale, 1, scale), 1e-3);
    for (double epsilon = -1.05 * steps / scale; epsilon < steps / scale; epsilon += 0.01) {
      double exact = 0;
      for (int z = 0; z <= steps; z++) {
        exact += law.probability(z) * Math.max(0, -StrictMath.expm1(epsilon - law.loss(z)));
      }
      double charged = 0;
      for (int i = 0; i < grid.probabilities.length; i++) {
        charged += grid.probabilities[i] * Math.max(0, -StrictMath.expm1(epsilon - grid.loss(i)));
      }
      assertThat(charged).as("epsilon %s", epsilon).isGreaterThanOrEqualTo(exact - 1e-12);
    }
  }
}
