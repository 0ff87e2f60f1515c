package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Against an independent implementation, to 1e-10 of the largest weight. */
class FtrlGoldenTest {
  private static final double TOLERANCE = 1e-10;
  private static JsonNode golden;

  @BeforeAll
  static void read() throws IOException {
    try (InputStream in = FtrlGoldenTest.class.getResourceAsStream("/golden/ftrl.json")) {
      golden = new ObjectMapper().readTree(in);
    }
  }

  @Test
  void projection() {
    int compared = 0;
    for (JsonNode c : cases("projection", 4)) {
      double[] v = vector(c.get("v"));
      Ftrl ftrl = ftrl(1, 0, c.get("radius").asDouble(), 0, v);
      assertClose(publish(ftrl, ftrl.initial()).weights, c.get("out"));
      compared++;
    }
    assertThat(compared).isEqualTo(4);
  }

  @Test
  void thetaUnconstrainedAndInTheBall() {
    int compared = 0;
    for (JsonNode c : cases("theta", 4)) {
      double rate = 1 / c.get("lambda").asDouble();
      double[] theta0 = vector(c.get("theta0"));
      double[] s = vector(c.get("s"));
      assertClose(
          after(ftrl(rate, 0, Double.POSITIVE_INFINITY, 0, theta0), s), c.get("unconstrained"));
      assertClose(after(ftrl(rate, 0, c.get("radius").asDouble(), 0, theta0), s), c.get("ball"));
      compared += 2;
    }
    assertThat(compared).isEqualTo(8);
  }

  @Test
  void l1UnconstrainedAndInTheBall() {
    int compared = 0;
    for (JsonNode c : cases("l1", 4)) {
      double rate = 1 / c.get("lambda").asDouble();
      double[] s = vector(c.get("s"));
      double[][] sums = new double[c.get("t").asInt()][s.length];
      sums[sums.length - 1] = s;
      double l1 = c.get("lambda1").asDouble();
      double[] theta0 = new double[s.length];
      assertClose(
          after(ftrl(rate, 0, Double.POSITIVE_INFINITY, l1, theta0), sums), c.get("unconstrained"));
      assertClose(
          after(ftrl(rate, 0, c.get("radius").asDouble(), l1, theta0), sums), c.get("ball"));
      compared += 2;
    }
    assertThat(compared).isEqualTo(8);
  }

  @Test
  void momentum() {
    int compared = 0;
    for (JsonNode c : cases("momentum", 4)) {
      Ftrl ftrl =
          ftrl(
              1 / c.get("lambda").asDouble(),
              c.get("gamma").asDouble(),
              Double.POSITIVE_INFINITY,
              0,
              vector(c.get("theta0")));
      Ftrl.State state = ftrl.initial();
      for (int t = 0; t < c.get("prefix_sums").size(); t++) {
        ftrl.step(state, vector(c.get("prefix_sums").get(t)), 0);
        assertClose(publish(ftrl, state).weights, c.get("theta").get(t));
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
          Ftrl ftrl =
              ftrl(1, c.get("gamma").asDouble(), Double.POSITIVE_INFINITY, 0, new double[1]);
          Ftrl.State state = ftrl.initial();
          for (int t = 1; t <= rounds; t++) {
            ftrl.step(state, new double[] {SimulatedTree.share(height, index, t, honaker)}, 0);
            double v = publish(ftrl, state).weights[0];
            variance[t - 1] += v * v;
          }
        }
      }
      double[] expected = vector(c.get("variance_of_v"));
      for (int t = 0; t < rounds; t++) {
        assertThat(variance[t]).isCloseTo(expected[t], within(TOLERANCE * expected[t]));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(48);
  }

  private static double[] leastSquares(JsonNode c, double radius) {
    double[] s = vector(c.get("s"));
    double[][] w = new double[s.length][];
    for (int i = 0; i < s.length; i++) {
      w[i] = vector(c.get("W").get(i));
    }
    ExampleMoments moments = new ExampleMoments(s.length, 1.5, 0.25);
    LeastSquaresFtrl ftrl =
        new LeastSquaresFtrl(
            moments,
            new LeastSquaresParameters(c.get("lambda").asDouble(), radius),
            new Averaging(0),
            InitialWeights.zero(s.length));
    LeastSquaresFtrl.State state = ftrl.initial();
    ftrl.step(state, Sums.of(w, s, 1.5, 0.25), 0);
    return publish(ftrl, state).weights;
  }

  private static JsonNode cases(String name, int count) {
    JsonNode cases = golden.get(name);
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

  private static double[] after(Ftrl ftrl, double[]... sums) {
    Ftrl.State state = ftrl.initial();
    for (double[] sum : sums) {
      ftrl.step(state, sum, 0);
    }
    return publish(ftrl, state).weights;
  }

  private static <S extends LearnerState> Iterate publish(PrefixLearner<S> learner, S state) {
    Iterate out = new Iterate(learner.dimension());
    learner.publish(state, out);
    return out;
  }

  private static double[] vector(JsonNode node) {
    double[] v = new double[node.size()];
    Arrays.setAll(v, i -> node.get(i).asDouble());
    return v;
  }

  private static void assertClose(double[] actual, JsonNode expected) {
    double[] values = vector(expected);
    double largest = Arrays.stream(values).map(Math::abs).max().orElseThrow();
    assertThat(actual).containsExactly(values, within(TOLERANCE * largest));
  }
}
