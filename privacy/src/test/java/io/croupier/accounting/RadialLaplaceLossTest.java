package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RadialLaplaceLossTest {
  private static final int SEED = 29;

  /** Rounded up, by less than this. */
  private static final double SLACK = 1e-9;

  private static void assertRoundedUp(double value, double golden, String what) {
    assertThat(value / golden).as(what).isBetween(1.0, 1 + SLACK);
  }

  @Test
  void agreesWithReferenceValues() {
    List<double[]> rows = Golden.rows("radial_laplace.csv");
    assertThat(rows).hasSize(120);
    for (double[] row : rows) {
      PureLoss loss = PureLoss.ofRadial(row[1], (int) row[0]);
      String what = loss + ", order " + row[4];
      assertRoundedUp(loss.rho(), row[2], what);
      assertRoundedUp(loss.mu(), row[3], what);
      assertRoundedUp(loss.renyi(row[4]), row[5], what);
    }
  }

  @Test
  void growsWithEpsilonAndOrderAndFallsWithTheDimension() {
    Random random = new Random(SEED);
    for (int n = 0; n < 300; n++) {
      int d = 2 + (int) StrictMath.pow(10, 4 * random.nextDouble());
      double epsilon = 64 * StrictMath.pow(10, -5 * random.nextDouble());
      double order = 1 + StrictMath.pow(10, 7 * random.nextDouble() - 3);
      PureLoss loss = PureLoss.ofRadial(epsilon, d);
      PureLoss smaller = PureLoss.ofRadial(epsilon * (1 - 0.3 * random.nextDouble()), d);
      PureLoss wider = PureLoss.ofRadial(epsilon, d + 1);
      PureLoss response = PureLoss.ofEpsilon(epsilon);
      double more = 1 + (order - 1) * (1 + random.nextDouble());
      double up = 1 + SLACK;
      String what = "seed %d: %s, order %s".formatted(SEED, loss, order);

      for (PureLoss less : List.of(smaller, wider)) {
        assertThat(less.rho()).as(what).isLessThanOrEqualTo(loss.rho() * up);
        assertThat(less.mu()).as(what).isLessThanOrEqualTo(loss.mu() * up);
        assertThat(less.renyi(order)).as(what).isLessThanOrEqualTo(loss.renyi(order) * up);
      }
      assertThat(loss.rho()).as(what).isLessThanOrEqualTo(response.rho());
      assertThat(loss.mu()).as(what).isLessThanOrEqualTo(response.mu());
      assertThat(loss.renyi(order))
          .as(what)
          .isLessThanOrEqualTo(response.renyi(order) * up)
          .isLessThanOrEqualTo(loss.renyi(more) * up)
          .isLessThanOrEqualTo(order * loss.rho() * up)
          .isGreaterThanOrEqualTo(loss.renyi(1) * (1 - SLACK));
    }
  }

  /** The two formulas of a divergence meet. */
  @Test
  void divergencesAreContinuousInTheOrder() {
    for (int d : new int[] {2, 3, 20, 1000, 1_000_000}) {
      for (double epsilon : new double[] {1e-3, 1, 30}) {
        PureLoss loss = PureLoss.ofRadial(epsilon, d);
        double order = 1 + 8 / epsilon;
        assertThat(loss.renyi(order * (1 + 1e-12)) / loss.renyi(order * (1 - 1e-12)))
            .as("%s", loss)
            .isCloseTo(1, within(d > 1000 ? 1e-6 : 1e-9));
      }
    }
  }

  /**
   * That no threshold needs a larger mu than 0 does. The probabilities are sums over a grid of the
   * angle, another quadrature than that of the loss.
   */
  @ParameterizedTest
  @CsvSource({"2", "3", "4", "5", "8", "20", "100", "1000", "5000"})
  void noThresholdNeedsALargerMu(int d) {
    for (double epsilon : new double[] {0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64}) {
      double x = epsilon / 2;
      double c = (d - 1) / x * RadialLaplaceLoss.besselRatio(d, x);
      double mu = PureLoss.ofRadial(epsilon, d).mu();
      int cells = 20_000;
      double width = Math.min(StrictMath.PI / 2, 12 / StrictMath.sqrt(d));
      double[] likely = new double[cells];
      double[] unlikely = new double[cells];
      double all = 0;
      double opposite = 0;
      for (int i = 0; i < cells; i++) {
        double v = StrictMath.sin(width * (i + 0.5) / cells);
        double square = 1 - v * v;
        double h = StrictMath.pow(square, (d - 2) / 2.0) * (c + square) / (c + 1);
        likely[i] = h * StrictMath.exp(x * v);
        unlikely[i] = h * StrictMath.exp(-x * v);
        all += likely[i] + unlikely[i];
        opposite += unlikely[i];
      }
      double[] below = new double[cells + 1];
      below[0] = opposite;
      for (int i = 0; i < cells; i++) {
        below[i + 1] = below[i] + likely[i];
      }
      double upper = 0;
      double lower = 0;
      for (int i = cells - 1; i > 0; i--) {
        upper += likely[i] / all;
        lower += unlikely[i] / all;
        if (i % 40 == 0 && lower > 1e-30) {
          // The threshold is exceeded with these probabilities: at most by GDP of mu.
          double power =
              upper <= 0.5
                  ? -ChoiceLossTest.upperQuantile(upper)
                  : ChoiceLossTest.upperQuantile(below[i] / all);
          assertThat(power + ChoiceLossTest.upperQuantile(lower))
              .as("d %s, epsilon %s, cell %s", d, epsilon, i)
              .isLessThanOrEqualTo(mu * (1 + 1e-5) + 1e-12);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 0.5", "20, 4", "100, 0.5"})
  void sampledLossesAgree(int d, double epsilon) {
    assertSampled(d, epsilon);
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"1, 0.5", "2, 8", "8, 2", "20, 0.374", "100, 8"})
  void sampledLossesAgreeAtMoreLevels(int d, double epsilon) {
    assertSampled(d, epsilon);
  }

  private static void assertSampled(int d, double epsilon) {
    Random random = new Random(SEED);
    SampledLosses losses =
        new SampledLosses(
            () -> {
              double radius = gamma(d, random);
              double along = random.nextGaussian();
              double across = d == 1 ? 0 : 2 * gamma((d - 1) / 2.0, random);
              double cosine = along / StrictMath.sqrt(along * along + across);
              double shifted = radius * radius - 2 * radius * epsilon * cosine + epsilon * epsilon;
              return StrictMath.sqrt(Math.max(0, shifted)) - radius;
            });
    losses.assertAgree(PureLoss.ofRadial(epsilon, d), 1.5);
  }

  /** Marsaglia and Tsang 2000; for a shape below 1 by that of shape + 1. */
  private static double gamma(double shape, Random random) {
    if (shape < 1) {
      return gamma(shape + 1, random) * StrictMath.pow(1 - random.nextDouble(), 1 / shape);
    }
    double d = shape - 1.0 / 3;
    while (true) {
      double x = random.nextGaussian();
      double root = 1 + x / StrictMath.sqrt(9 * d);
      double v = root * root * root;
      if (v > 0
          && StrictMath.log(1 - random.nextDouble())
              < x * x / 2 + d - d * v + d * StrictMath.log(v)) {
        return d * v;
      }
    }
  }

  @Test
  void outsideOfItsRangeItIsRandomisedResponse() {
    assertThat(PureLoss.ofRadial(1, 0)).isEqualTo(PureLoss.ofEpsilon(1));
    assertThat(PureLoss.ofRadial(64.1, 5)).isEqualTo(PureLoss.ofEpsilon(64.1));
    assertThat(PureLoss.ofRadial(1e-10, 5)).isEqualTo(PureLoss.ofEpsilon(1e-10));
    assertThat(PureLoss.ofRadial(1, Integer.MAX_VALUE)).isEqualTo(PureLoss.ofEpsilon(1));
    assertThat(PureLoss.ofRadial(1, 1)).isEqualTo(PureLoss.ofCoordinates(1, 1));
  }

  @Test
  void largestAndSmallestLossesHaveFiniteNumbers() {
    for (int d : new int[] {2, 3, 4, 1_000_003, RadialLaplaceLoss.MOST_DIMENSION}) {
      for (double epsilon :
          new double[] {RadialLaplaceLoss.LEAST_EPSILON, RadialLaplaceLoss.MOST_EPSILON}) {
        PureLoss loss = PureLoss.ofRadial(epsilon, d);
        assertThat(loss.rho()).as("%s", loss).isPositive().isLessThanOrEqualTo(epsilon);
        assertThat(loss.mu()).as("%s", loss).isPositive().isLessThan(40);
        for (double order : new double[] {1 + 1e-9, 2, 65536, 1e12}) {
          assertThat(loss.renyi(order))
              .as("%s, order %s", loss, order)
              .isBetween(loss.rho() * (1 - SLACK), epsilon);
        }
      }
    }
  }

  @Test
  void lossesOfEqualParametersAreOne() {
    assertThat(PureLoss.ofRadial(0.7, 9)).isSameAs(PureLoss.ofRadial(0.7, 9));
    for (int n = 0; n < 3000; n++) {
      assertThat(PureLoss.ofRadial(1 + n * 1e-3, 9)).isNotEqualTo(PureLoss.ofRadial(0.7, 9));
    }
    assertThatThrownBy(() -> PureLoss.ofRadial(1, 9).renyi(0.5))
        .hasMessageContaining("order is 0.5");
  }
}
