package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridCompositionTest {
  private static final int SEED = 29;

  /** Never below the exact value, and above it by at most 0.2 %. */
  private static void assertTight(double epsilon, double exact, String what) {
    assertThat(epsilon / exact).as(what).isBetween(1 - 1e-9, 1.002);
  }

  private static double epsilon(double mu, Map<PureLoss, Long> losses, double delta) {
    double log = Math.log(delta);
    return GridComposition.of(mu, losses, log).orElseThrow().epsilon(log);
  }

  /**
   * References by NumPy: the same principle on a grid at least three times as fine, in angles; the
   * last two by mpmath, from the integral of one report.
   */
  @ParameterizedTest
  @CsvSource({
    "20, 0.374, 100, 1e-6, 3.98035",
    "20, 0.374, 100, 1e-12, 5.92959",
    "2, 1, 10, 1e-6, 9.1816",
    "8, 0.5, 1000, 1e-6, 41.3793",
    "100, 8, 3, 1e-9, 8.5621",
    "5, 2, 1, 1e-5, 1.9586",
    "1000, 8, 1, 1e-30, 2.758540",
    "1000, 8, 1, 1e-40, 3.183979"
  })
  void reportsOfRadialNoiseCompose(
      int dimension, double epsilon, long reports, double delta, double reference) {
    PureLoss loss = PureLoss.ofRadial(epsilon, dimension);
    assertTight(epsilon(0, Map.of(loss, reports), delta), reference, loss.toString());
  }

  @Tag("ci")
  @Test
  void agreesWithTheExactCompositionOfRandomisedResponses() {
    for (double epsilon : new double[] {0.1, 0.5, 1, 4}) {
      for (long reports : new long[] {1, 2, 10, 100, 1000, 10_000}) {
        for (double mu : new double[] {0, 0.3}) {
          for (double delta : new double[] {1e-3, 1e-6, reports < 1000 ? 1e-9 : 1e-30}) {
            double exact =
                ExactComposition.of(mu, Map.of(epsilon, reports))
                    .orElseThrow()
                    .epsilon(Math.log(delta));
            assertTight(
                epsilon(mu, Map.of(PureLoss.ofEpsilon(epsilon), reports), delta),
                exact,
                "%s reports of %s, mu %s, delta %s".formatted(reports, epsilon, mu, delta));
          }
        }
      }
    }
  }

  /** Exact convolution: the sum over all outcomes of a few mechanisms of different losses. */
  @Tag("ci")
  @Test
  void agreesWithTheSumOverAllOutcomes() {
    Random random = new Random(SEED);
    for (int run = 0; run < 30; run++) {
      Map<PureLoss, Long> losses = new LinkedHashMap<>();
      double[] sums = {0};
      double[] probabilities = {1};
      int count = 1 + random.nextInt(6);
      for (int n = 0; n < count; n++) {
        double epsilon = 4 * Math.pow(10, -2 * random.nextDouble());
        double others = 1 + 5 * random.nextInt(2) * random.nextDouble();
        losses.put(new ChoiceLoss(epsilon, others), 1L);
        double p = 1 / (1 + others * Math.exp(-epsilon));
        double q = p * Math.exp(-epsilon);
        double[] moreSums = new double[3 * sums.length];
        double[] moreProbabilities = new double[3 * sums.length];
        for (int i = 0; i < sums.length; i++) {
          for (int sign = -1; sign <= 1; sign++) {
            double probability = sign > 0 ? p : sign < 0 ? q : (others - 1) * q;
            moreSums[3 * i + sign + 1] = sums[i] + sign * epsilon;
            moreProbabilities[3 * i + sign + 1] = probabilities[i] * probability;
          }
        }
        sums = moreSums;
        probabilities = moreProbabilities;
      }
      double radius = 2 * random.nextDouble();
      losses.put(PureLoss.ofCoordinates(radius, 1), 1L);
      double mu = random.nextInt(2) * random.nextDouble();
      double delta = Math.pow(10, -1 - 7 * random.nextDouble());

      double exact = exact(sums, probabilities, radius, mu, delta);

      String what = "seed %d, run %d: %s, mu %s, delta %s".formatted(SEED, run, losses, mu, delta);
      assertTight(epsilon(mu, losses, delta), exact, what);
    }
  }

  /** With one report of Laplace noise, by the midpoint rule over the noise. */
  private static double exact(
      double[] sums, double[] probabilities, double shift, double mu, double delta) {
    return Bisection.root(
        0,
        100,
        40,
        epsilon -> {
          double sum = 0;
          for (int n = 0; n < sums.length; n++) {
            sum += probabilities[n] * afterLaplace(epsilon - sums[n], shift, mu);
          }
          return sum > delta;
        });
  }

  private static double afterLaplace(double epsilon, double shift, double mu) {
    int cells = 100;
    double sum = delta(epsilon - shift, mu) / 2 + delta(epsilon + shift, mu) * Math.exp(-shift) / 2;
    for (int i = 0; i < cells; i++) {
      double z = shift * (i + 0.5) / cells;
      sum += delta(epsilon - shift + 2 * z, mu) * Math.exp(-z) / 2 * shift / cells;
    }
    return sum;
  }

  private static double delta(double epsilon, double mu) {
    return mu == 0 ? Math.max(0, -Math.expm1(epsilon)) : Math.exp(GaussianDp.logDelta(epsilon, mu));
  }

  /** Losses that have no distribution count as Gaussian ones of their mu. */
  @Test
  void otherLossesCountByTheirMu() {
    PureLoss coordinates = PureLoss.ofCoordinates(0.5, 20);
    Map<PureLoss, Long> losses = Map.of(PureLoss.ofEpsilon(0.1), 100L, coordinates, 10L);
    double byMu =
        ExactComposition.of(coordinates.mu() * Math.sqrt(10), Map.of(0.1, 100L))
            .orElseThrow()
            .epsilon(Math.log(1e-6));
    assertTight(epsilon(0, losses, 1e-6), byMu, "as Gaussian");
    assertThat(GridComposition.of(1, Map.of(coordinates, 10L), -10)).isEmpty();
    assertThat(GridComposition.of(1, Map.of(PureLoss.ofEpsilon(1e300), 2L), -10)).isPresent();
  }

  @Tag("ci")
  @Test
  void extremesAreFiniteOrAbsent() {
    for (double epsilon : new double[] {1e-9, 60, 1e4}) {
      for (long reports : new long[] {1, 100_000, 1L << 40}) {
        for (double delta : new double[] {0.9, 1e-300}) {
          for (double mu : new double[] {0, 40}) {
            PureLoss loss = PureLoss.ofRadial(epsilon, 3);
            double log = Math.log(delta);
            String what = "%s, %s reports, delta %s, mu %s".formatted(loss, reports, delta, mu);
            GridComposition.of(mu, Map.of(loss, reports), log)
                .ifPresent(
                    found -> assertThat(found.epsilon(log)).as(what).isNotNaN().isNotNegative());
          }
        }
      }
    }
  }
}
