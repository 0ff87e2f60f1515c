package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.learner.InitialWeights;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Against an independent implementation, to 1e-10 of the largest weight. */
class FtrlGoldenTest {
  private static final double TOLERANCE = 1e-10;

  @Test
  void projection() {
    for (JsonNode c : cases("projection", 4)) {
      double[] v = Golden.vector(c.get("v"));
      assertClose(after(ftrl(1, 0, c.get("radius").asDouble(), 0, v)), c.get("out"));
    }
  }

  @Test
  void thetaUnconstrainedAndInTheBall() {
    for (JsonNode c : cases("theta", 4)) {
      double rate = 1 / c.get("lambda").asDouble();
      double[] theta0 = Golden.vector(c.get("theta0"));
      double[] s = Golden.vector(c.get("s"));
      assertClose(
          after(ftrl(rate, 0, Double.POSITIVE_INFINITY, 0, theta0), s), c.get("unconstrained"));
      assertClose(after(ftrl(rate, 0, c.get("radius").asDouble(), 0, theta0), s), c.get("ball"));
    }
  }

  @Test
  void l1UnconstrainedAndInTheBall() {
    for (JsonNode c : cases("l1", 4)) {
      double rate = 1 / c.get("lambda").asDouble();
      double[] s = Golden.vector(c.get("s"));
      double[][] sums = new double[c.get("t").asInt()][s.length];
      sums[sums.length - 1] = s;
      double l1 = c.get("lambda1").asDouble();
      double[] theta0 = new double[s.length];
      assertClose(
          after(ftrl(rate, 0, Double.POSITIVE_INFINITY, l1, theta0), sums), c.get("unconstrained"));
      assertClose(
          after(ftrl(rate, 0, c.get("radius").asDouble(), l1, theta0), sums), c.get("ball"));
    }
  }

  @Test
  void momentum() {
    int compared = 0;
    for (JsonNode c : cases("momentum", 4)) {
      var run =
          new PrefixRun<>(
              ftrl(
                  1 / c.get("lambda").asDouble(),
                  c.get("gamma").asDouble(),
                  Double.POSITIVE_INFINITY,
                  0,
                  Golden.vector(c.get("theta0"))));
      for (int t = 0; t < c.get("prefix_sums").size(); t++) {
        run.step(Golden.vector(c.get("prefix_sums").get(t)));
        assertClose(run.weights(), c.get("theta").get(t));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(20);
  }

  @Test
  void leastSquares() {
    int compared = 0;
    int indefinite = 0;
    for (JsonNode c : cases("least_squares", 4)) {
      double radius = c.get("radius").asDouble();
      assertClose(leastSquares(c, radius), c.get("ball"));
      compared++;
      if (c.get("positive_definite").asBoolean()) {
        assertClose(leastSquares(c, 1000), c.get("unconstrained"));
        compared++;
      } else {
        indefinite++;
      }
    }
    assertThat(compared).isEqualTo(7);
    assertThat(indefinite).isEqualTo(1);
  }

  /**
   * The variance of v_t, from sums that carry the noise of one node of a tree at a time: vanilla
   * and Honaker.
   */
  @Test
  void momentumVariance() {
    int compared = 0;
    for (JsonNode c : cases("momentum_variance", 3)) {
      int rounds = c.get("T").asInt();
      boolean honaker = c.get("honaker").asBoolean();
      double[] variance = new double[rounds];
      for (int height = 0; (1 << height) <= rounds; height++) {
        for (int index = 0; (index + 1) << height <= rounds; index++) {
          double gamma = c.get("gamma").asDouble();
          var run = new PrefixRun<>(ftrl(1, gamma, Double.POSITIVE_INFINITY, 0, new double[1]));
          for (int t = 1; t <= rounds; t++) {
            run.step(SimulatedTree.share(height, index, t, honaker));
            double v = run.weights()[0];
            variance[t - 1] += v * v;
          }
        }
      }
      double[] expected = Golden.vector(c.get("variance_of_v"));
      for (int t = 0; t < rounds; t++) {
        assertThat(variance[t]).isCloseTo(expected[t], within(TOLERANCE * expected[t]));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(48);
  }

  private static double[] leastSquares(JsonNode c, double radius) {
    double[] s = Golden.vector(c.get("s"));
    double[][] w = new double[s.length][];
    Arrays.setAll(w, i -> Golden.vector(c.get("W").get(i)));
    ExampleMoments moments = new ExampleMoments(s.length, 1.5, 0.25);
    return after(
        new LeastSquaresFtrl(
            moments,
            new LeastSquaresParameters(c.get("lambda").asDouble(), radius),
            new Averaging(0),
            InitialWeights.zero(s.length)),
        Sums.of(w, s, 1.5, 0.25));
  }

  private static JsonNode cases(String name, int count) {
    JsonNode cases = Golden.read("ftrl.json").get(name);
    assertThat(cases).as(name).hasSize(count);
    return cases;
  }

  private static Ftrl ftrl(
      double rate, double momentum, double radius, double l1, double[] theta0) {
    return new Ftrl(
        new FtrlParameters(rate, momentum, radius, l1),
        new Averaging(0),
        InitialWeights.of(theta0));
  }

  private static double[] after(PrefixLearner<?> learner, double[]... sums) {
    var run = new PrefixRun<>(learner);
    for (double[] sum : sums) {
      run.step(sum);
    }
    return run.weights();
  }

  private static void assertClose(double[] actual, JsonNode expected) {
    double[] values = Golden.vector(expected);
    double largest = Arrays.stream(values).map(Math::abs).max().orElseThrow();
    assertThat(actual).containsExactly(values, within(TOLERANCE * largest));
  }
}
