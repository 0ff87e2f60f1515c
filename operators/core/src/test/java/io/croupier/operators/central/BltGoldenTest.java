package io.croupier.operators.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.learner.Golden;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BltGoldenTest {
  private static final JsonNode BLT = Golden.read("blt.json");

  private static BltParameters parameters(JsonNode golden) {
    return BltParameters.of(Golden.vector(golden.get("theta")), Golden.vector(golden.get("omega")));
  }

  private static ParticipationLimits limits(JsonNode golden) {
    assertThat(golden.get("min_sep_b").asLong()).isEqualTo(golden.get("xi").asLong() + 1);
    return new ParticipationLimits(
        golden.get("max_participation").asLong(), golden.get("xi").asLong());
  }

  /** The mean over the prefixes, by summation. */
  private static double meanVariance(BltParameters parameters, int n) {
    PrefixVariance variance = parameters.prefixVariance();
    double sum = 0;
    for (int k = 0; k < n; k++) {
      double b = variance.coefficient(k);
      sum += (n - k) * b * b;
    }
    return sum / n;
  }

  @Test
  void sensitivityAndVariance() {
    JsonNode cases = BLT.get("blt");
    assertThat(cases).hasSize(8);
    for (JsonNode golden : cases) {
      BltParameters parameters = parameters(golden);
      int n = golden.get("n").asInt();
      double squared = parameters.squaredSensitivity(n, ParticipationLimits.ONCE);
      double last = parameters.prefixVariance().of(n);
      assertThat(squared).isCloseTo(golden.get("sens2_single").asDouble(), withPercentage(1e-8));
      assertThat(last)
          .isCloseTo(golden.get("last_prefix_variance").asDouble(), withPercentage(1e-8));
      assertThat(meanVariance(parameters, n))
          .isCloseTo(golden.get("mean_prefix_variance").asDouble(), withPercentage(1e-8));
      assertThat(Math.sqrt(squared * last))
          .isCloseTo(golden.get("max_error").asDouble(), withPercentage(1e-8));
    }
  }

  @Test
  void runs() {
    int compared = 0;
    for (JsonNode golden : BLT.get("blt")) {
      double[] z = Golden.vector(golden.get("z"));
      int[] t = {0};
      PrefixSum sum =
          new BltNoise(parameters(golden), z.length)
              .start(
                  1,
                  new NoiseGrid(-4, 34, 1),
                  into -> Arrays.fill(into, (long) Math.scalb(z[t[0]++], 38)),
                  0);
      double before = 0;
      for (int i = 0; i < z.length; i++) {
        double[] prefix = new double[1];
        sum.add(new long[] {1}, prefix);
        double noise = prefix[0] - (i + 1) / 16.0;
        assertThat(noise).isCloseTo(golden.get("prefix_noise").get(i).asDouble(), within(1e-9));
        assertThat(noise - before)
            .isCloseTo(golden.get("z_correlated").get(i).asDouble(), within(1e-9));
        before = noise;
        compared++;
      }
    }
    assertThat(compared).isEqualTo(8 * 24);
  }

  @Test
  void severalParticipations() {
    JsonNode cases = BLT.get("multi_participation");
    assertThat(cases).hasSize(4);
    for (JsonNode golden : cases) {
      BltParameters parameters = parameters(golden);
      int n = golden.get("n").asInt();
      ParticipationLimits limits = limits(golden);
      assertThat(parameters.squaredSensitivity(n, limits))
          .isCloseTo(golden.get("sens2").asDouble(), withPercentage(1e-8))
          .isCloseTo(directly(parameters, n, limits), withPercentage(1e-10));
      assertThat(new BltNoise(parameters, n).zeta(n, limits))
          .isGreaterThan(golden.get("sens2").asDouble())
          .isCloseTo(golden.get("sens2").asDouble(), withPercentage(1e-8));
    }
  }

  /** Computes the sensitivity by adding up shifted columns. */
  private static double directly(BltParameters parameters, int n, ParticipationLimits limits) {
    double[] sum = new double[n];
    long gap = limits.minSeparation() + 1;
    for (long p = 0; p < limits.maxParticipations() && p * gap < n; p++) {
      for (int t = (int) (p * gap); t < n; t++) {
        int k = t - (int) (p * gap);
        sum[t] += k == 0 ? 1 : coefficient(parameters, k);
      }
    }
    return Responses.dot(sum, sum);
  }

  private static double coefficient(BltParameters parameters, int k) {
    double c = 0;
    for (int j = 0; j < parameters.buffers(); j++) {
      c += parameters.omega()[j] * Math.pow(parameters.theta()[j], k - 1);
    }
    return c;
  }

  @Test
  void parametersForSeveralParticipations() {
    int compared = 0;
    for (JsonNode golden : BLT.get("multi_participation_comparison")) {
      int n = golden.get("n").asInt();
      for (String name : new String[] {"blt2", "blt3", "blt4"}) {
        BltParameters parameters = parameters(golden.get(name));
        assertThat(parameters.squaredSensitivity(n, limits(golden)))
            .isCloseTo(golden.get(name).get("sens2").asDouble(), withPercentage(1e-8));
        assertThat(error(parameters, n, limits(golden)))
            .isCloseTo(golden.get(name).get("max").asDouble(), withPercentage(1e-4));
        double rms =
            Math.sqrt(
                parameters.squaredSensitivity(n, limits(golden)) * meanVariance(parameters, n));
        assertThat(rms).isCloseTo(golden.get(name).get("rms").asDouble(), withPercentage(1e-4));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(6);
  }

  @Test
  void theSearchIsAsGoodForSeveralParticipations() {
    for (JsonNode golden : BLT.get("multi_participation_comparison")) {
      int n = golden.get("n").asInt();
      for (int m = 2; m <= 3; m++) {
        BltParameters found = BltNoise.optimal(m, n, limits(golden)).parameters();
        assertThat(error(found, n, limits(golden)))
            .isLessThan(golden.get("blt" + m).get("max").asDouble() * (1 + 1e-6));
      }
    }
  }

  /** The cost of parameters that don't depend on the limits: the table of lab/proofs/dp-ftrl.md. */
  @ParameterizedTest
  @CsvSource({
    "2048, 4, 512, 1.03",
    "2000, 6, 342, 1.06",
    "1024, 8, 128, 1.09",
    "100000, 10, 1000, 1.18"
  })
  void parametersForOneParticipationServeSeveral(int n, long most, long gap, double ratio) {
    ParticipationLimits limits = new ParticipationLimits(most, gap - 1);
    BltParameters forOne = BltNoise.optimal(4, n, ParticipationLimits.ONCE).parameters();
    BltParameters forThese = BltNoise.optimal(4, n, limits).parameters();
    assertThat(error(forOne, n, limits) / error(forThese, n, limits))
        .isCloseTo(ratio, within(0.005));
  }

  private static double error(BltParameters parameters, int n, ParticipationLimits limits) {
    return Math.sqrt(parameters.squaredSensitivity(n, limits) * parameters.prefixVariance().of(n));
  }

  /** The same minimum, to the digits that rounding allows. */
  @Test
  void theSearchFindsTheParameters() {
    for (JsonNode golden : BLT.get("blt")) {
      int n = golden.get("n").asInt();
      int m = golden.get("theta").size();
      BltParameters found = BltNoise.optimal(m, n, ParticipationLimits.ONCE).parameters();
      double[] theta = Golden.vector(golden.get("theta"));
      double[] omega = Golden.vector(golden.get("omega"));
      for (int j = 0; j < m; j++) {
        assertThat(1 - found.theta()[j])
            .as("n %s, m %s, theta %s", n, m, j)
            .isCloseTo(1 - theta[j], withPercentage(1e-3));
        assertThat(found.omega()[j]).isCloseTo(omega[j], withPercentage(1e-3));
      }
    }
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"10", "12", "14", "16"})
  void theSearchFindsTheErrors(int log) {
    assertErrors(log);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"18", "20"})
  void theSearchFindsTheErrorsOfLongHorizons(int log) {
    assertErrors(log);
  }

  private static void assertErrors(int log) {
    JsonNode golden = BLT.get("error_at_equal_privacy").get(String.valueOf(log));
    int n = 1 << log;
    for (int m = 1; m <= 5; m++) {
      BltParameters found = BltNoise.optimal(m, n, ParticipationLimits.ONCE).parameters();
      assertThat(error(found, n, ParticipationLimits.ONCE))
          .as("max error, m %s", m)
          .isCloseTo(golden.get("blt" + m).get("max").asDouble(), withPercentage(1e-7));
      double rms =
          Math.sqrt(found.squaredSensitivity(n, ParticipationLimits.ONCE) * meanVariance(found, n));
      assertThat(rms).isCloseTo(golden.get("blt" + m).get("rms").asDouble(), withPercentage(1e-3));
    }
  }

  /** The largest error of a tree is at its last step but one, where all bits are set. */
  @ParameterizedTest
  @CsvSource({"10", "12", "14", "16", "18", "20"})
  void errorsOfTrees(int log) {
    JsonNode golden = BLT.get("error_at_equal_privacy").get(String.valueOf(log));
    long n = 1L << log;
    for (Estimator estimator : Estimator.values()) {
      TreeNoise tree = TreeNoise.of(estimator);
      JsonNode expected = golden.get(estimator == Estimator.VANILLA ? "vanilla" : "honaker");
      double zeta = tree.zeta(n, ParticipationLimits.ONCE);
      assertThat(Math.sqrt(zeta * tree.variance(n - 1)))
          .isCloseTo(expected.get("max").asDouble(), withPercentage(1e-10));
      double sum = 0;
      for (long t = 1; t <= n; t++) {
        sum += tree.variance(t);
      }
      assertThat(Math.sqrt(zeta * sum / n))
          .isCloseTo(expected.get("rms").asDouble(), withPercentage(1e-8));
    }
  }

  /** More buffers approach the best Toeplitz matrix, the square root of the prefix sums. */
  @Test
  void nothingBeatsTheSquareRoot() {
    JsonNode cases = BLT.get("sqrt_toeplitz");
    assertThat(cases).hasSize(6);
    int compared = 0;
    for (JsonNode golden : cases) {
      int n = golden.get("n").asInt();
      if (n < 100) {
        continue;
      }
      double best = golden.get("max_error").asDouble();
      BltParameters found = BltNoise.optimal(4, n, ParticipationLimits.ONCE).parameters();
      assertThat(error(found, n, ParticipationLimits.ONCE)).isBetween(best, best * 1.001);
      compared++;
    }
    assertThat(compared).isEqualTo(3);
  }

  /** A point published with the library jax_privacy. */
  @Test
  void aPublishedPoint() {
    BltParameters found = BltNoise.optimal(2, 100_000, ParticipationLimits.ONCE).parameters();
    assertThat(found.theta()[0]).isCloseTo(0.9999528892, within(2e-9));
    assertThat(found.theta()[1]).isCloseTo(0.9857068667, within(1e-7));
    assertThat(found.omega()[0]).isCloseTo(0.0122853238, within(1e-7));
    assertThat(found.omega()[1]).isCloseTo(0.1878393665, within(1e-6));
    assertThat(error(found, 100_000, ParticipationLimits.ONCE)).isCloseTo(5.29674715, within(1e-8));
  }

  @Test
  void shortHorizonsHaveParametersToo() {
    for (int n = 1; n <= 5; n++) {
      for (int m = 1; m <= 5; m += 2) {
        BltNoise noise = BltNoise.optimal(m, n, ParticipationLimits.ONCE);
        assertThat(noise.variance(n) * noise.zeta(n, ParticipationLimits.ONCE))
            .isBetween(1.0 - 1e-9, 3.0);
      }
    }
  }

  /** The closed form against the stream itself. */
  @Test
  void everyPrefixHasTheVarianceOfTheClosedForm() {
    BltNoise noise = BltNoise.optimal(3, 200, new ParticipationLimits(4, 49));
    Responses responses = new Responses(noise, 200);
    for (int t = 1; t <= 200; t++) {
      assertThat(responses.covariance(t, t)).isCloseTo(noise.variance(t), withPercentage(1e-6));
    }
  }

  @Test
  void refusesInvalidParameters() {
    assertThatThrownBy(() -> BltParameters.of(new double[] {0.5, 0.5}, new double[] {0.1, 0.1}))
        .hasMessageContaining("theta 1 is 0.5");
    assertThatThrownBy(() -> BltParameters.of(new double[] {1.5}, new double[] {0.1}))
        .hasMessageContaining("theta 0 is 1.5");
    assertThatThrownBy(() -> BltParameters.of(new double[] {0.5}, new double[] {Double.NaN}))
        .hasMessageContaining("omega 0 is NaN");
    assertThatThrownBy(() -> BltParameters.of(new double[] {0.5}, new double[] {1.5}))
        .hasMessageContaining("sum of 1.5");
    assertThatThrownBy(() -> BltNoise.optimal(6, 10, ParticipationLimits.ONCE))
        .hasMessageContaining("buffers is 6; it must be between 1 and 5");
    assertThatThrownBy(() -> BltNoise.optimal(1, 0, ParticipationLimits.ONCE))
        .hasMessageContaining("horizon is 0");
  }
}
