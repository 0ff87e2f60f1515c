package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinateLaplaceLossTest {
  private static final int SEED = 29;

  /** E exp((a-1) L) by the midpoint rule, over the noise between the two inputs. */
  private static double divergence(double shift, double order) {
    int cells = 20_000;
    double x = order - 1;
    double sum =
        StrictMath.exp(x * shift) / 2 + StrictMath.exp(-x * shift) * StrictMath.exp(-shift) / 2;
    for (int i = 0; i < cells; i++) {
      double z = shift * (i + 0.5) / cells;
      sum += StrictMath.exp(x * (shift - 2 * z)) * StrictMath.exp(-z) / 2 * shift / cells;
    }
    return StrictMath.log(sum) / x;
  }

  @ParameterizedTest
  @CsvSource({"0.1, 1", "0.5, 20", "2, 8", "8, 2", "16, 100", "40, 2.5"})
  void agreesWithTheIntegralOverTheNoise(double epsilon, double coordinates) {
    PureLoss loss = PureLoss.ofCoordinates(epsilon, coordinates);
    for (double order : new double[] {1.5, 2, 8}) {
      assertThat(loss.renyi(order) / (coordinates * divergence(epsilon / coordinates, order)))
          .as("%s, order %s", loss, order)
          .isCloseTo(1, within(1e-6));
    }
    double s = epsilon / coordinates;
    double exact =
        BigDecimal.valueOf(StrictMath.exp(-s)).subtract(BigDecimal.ONE).doubleValue() + s;
    assertThat(loss.rho() / (coordinates * exact)).isCloseTo(1, within(1e-9));
  }

  /** The formula for large arguments, against that by quadrature, where both are accurate. */
  @Test
  void divergencesAreContinuousInTheOrder() {
    for (double epsilon : new double[] {0.01, 1, 20}) {
      PureLoss loss = PureLoss.ofCoordinates(epsilon, 1);
      double order = (1 + 40 / epsilon) / 2;
      assertThat(loss.renyi(order * (1 + 1e-12)) / loss.renyi(order * (1 - 1e-12)))
          .isCloseTo(1, within(1e-11));
    }
  }

  /** No differences within the sums of the clip exceed the loss: ones of a few sizes, at random. */
  @Test
  void noPairExceedsIt() {
    Random random = new Random(SEED);
    for (int n = 0; n < 5000; n++) {
      int count = 1 + random.nextInt(6);
      double scale = StrictMath.pow(10, 3 * random.nextDouble() - 2);
      double[] shifts = new double[count];
      double sum = 0;
      double squares = 0;
      for (int j = 0; j < count; j++) {
        shifts[j] = scale * StrictMath.pow(random.nextDouble(), 1 + random.nextInt(3));
        sum += shifts[j];
        squares += shifts[j] * shifts[j];
      }
      PureLoss all = PureLoss.ofCoordinates(sum, sum * sum / squares * (1 - 1e-15));
      double order = 1 + StrictMath.pow(10, 6 * random.nextDouble() - 3);
      double rho = 0;
      double renyi = 0;
      double muSquared = 0;
      for (double shift : shifts) {
        PureLoss one = PureLoss.ofCoordinates(shift, 1);
        rho += one.rho();
        renyi += one.renyi(order);
        muSquared += one.mu() * one.mu();
      }
      String what = "seed %d: %s, order %s".formatted(SEED, all, order);
      assertThat(rho).as(what).isLessThanOrEqualTo(all.rho() * (1 + 1e-12));
      assertThat(renyi).as(what).isLessThanOrEqualTo(all.renyi(order) * (1 + 1e-12));
      assertThat(muSquared).as(what).isLessThanOrEqualTo(all.mu() * all.mu() * (1 + 1e-10));
    }
  }

  /**
   * The derivative of mu^2 of a single coordinate is increasing and concave, which the bound by
   * equal coordinates needs.
   */
  @Test
  void muSquaredIsConvexAndItsDerivativeConcave() {
    double step = 0.01;
    double former = 1;
    double formerSlope = 0;
    double formerGrowth = Double.POSITIVE_INFINITY;
    for (double s = 1e-3; s < 32; s *= 1 + step) {
      double from = s / (1 + step);
      double slope = (square(s) - square(from)) / (s - from);
      double growth = (slope - formerSlope) / (s - from / (1 + step)) * 2;
      if (s > 1.1e-3) {
        assertThat(growth).as("at %s", s).isPositive().isLessThan(formerGrowth * (1 + 1e-4));
        formerGrowth = growth;
      }
      formerSlope = slope;
      assertThat(square(s) / (s * s)).isLessThan(former * (s > 1e-3 ? 1 : 2));
      former = square(s) / (s * s);
    }
  }

  private static double square(double shift) {
    double mu = PureLoss.ofCoordinates(shift, 1).mu();
    return mu * mu;
  }

  /** Of two inputs that differ equally in each coordinate. mu is that of one coordinate alone. */
  @ParameterizedTest
  @CsvSource({"1, 0.5", "8, 2"})
  void sampledLossesAgree(int coordinates, double epsilon) {
    assertSampled(coordinates, epsilon);
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"1, 8", "20, 4"})
  void sampledLossesAgreeAtHighLevels(int coordinates, double epsilon) {
    assertSampled(coordinates, epsilon);
  }

  private static void assertSampled(int coordinates, double epsilon) {
    Random random = new Random(SEED);
    double shift = epsilon / coordinates;
    PureLoss loss = PureLoss.ofCoordinates(epsilon, coordinates);
    if (coordinates == 1) {
      new SampledLosses(() -> loss(shift, random)).assertAgree(loss, 1.5);
    } else {
      new SampledLosses(
              () -> {
                double sum = 0;
                for (int j = 0; j < coordinates; j++) {
                  sum += loss(shift, random);
                }
                return sum;
              })
          .assertRenyi(loss, 1.5);
    }
    // Under a clip to an L2 norm, inputs that differ in one coordinate have epsilon / sqrt(k).
    double alone = epsilon / StrictMath.sqrt(coordinates);
    assertThat(loss.mu()).isGreaterThanOrEqualTo(PureLoss.ofCoordinates(alone, 1).mu());
  }

  private static double loss(double shift, Random random) {
    double noise = -StrictMath.log(1 - random.nextDouble());
    double z = random.nextBoolean() ? noise : -noise;
    return Math.abs(z - shift) - Math.abs(z);
  }

  @Test
  void isAtMostRandomisedResponseAndGrowsWithEpsilon() {
    Random random = new Random(SEED);
    for (int n = 0; n < 5000; n++) {
      double epsilon = 64 * StrictMath.pow(10, -7 * random.nextDouble());
      double coordinates = StrictMath.pow(10, 7 * random.nextDouble());
      double order = 1 + StrictMath.pow(10, 6 * random.nextDouble() - 3);
      PureLoss loss = PureLoss.ofCoordinates(epsilon, coordinates);
      PureLoss smaller = PureLoss.ofCoordinates(epsilon * (1 - random.nextDouble()), coordinates);
      PureLoss response = PureLoss.ofEpsilon(epsilon);
      String what = "seed %d: %s, order %s".formatted(SEED, loss, order);

      assertThat(loss.rho()).as(what).isLessThanOrEqualTo(response.rho());
      assertThat(loss.mu()).as(what).isLessThanOrEqualTo(response.mu() * (1 + 1e-10));
      assertThat(loss.renyi(order))
          .as(what)
          .isLessThanOrEqualTo(response.renyi(order) * (1 + 1e-12))
          .isLessThanOrEqualTo(order * loss.rho() * (1 + 1e-12));
      assertThat(smaller.rho()).as(what).isLessThanOrEqualTo(loss.rho() * (1 + 1e-12));
      assertThat(smaller.mu()).as(what).isLessThanOrEqualTo(loss.mu() * (1 + 1e-10));
      assertThat(smaller.renyi(order))
          .as(what)
          .isLessThanOrEqualTo(loss.renyi(order) * (1 + 1e-12));
    }
  }

  @Test
  void refusesImpossibleValues() {
    assertThat(PureLoss.ofCoordinates(1, 0)).isEqualTo(PureLoss.ofEpsilon(1));
    assertThat(PureLoss.ofCoordinates(1, Double.NaN)).isEqualTo(PureLoss.ofEpsilon(1));
    assertThat(PureLoss.ofCoordinates(2e9, 3)).isEqualTo(PureLoss.ofEpsilon(2e9));
    assertThatThrownBy(() -> new CoordinateLaplaceLoss(1, 0.5, 1))
        .hasMessageContaining("coordinates is 0.5");
    assertThatThrownBy(() -> new CoordinateLaplaceLoss(1, 2, 1).renyi(0.5))
        .hasMessageContaining("order is 0.5");
  }
}
