package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Prior;
import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The learner without a learning rate against the best rate in hindsight, under the noise of a
 * tree: the table of lab/proofs/dp-ftrl.md. Absolute loss |&lt;x, w&gt; - y| of x uniform on the
 * unit sphere, y = &lt;x, w*&gt; plus noise uniform in [-0.1, 0.1]; {@value #ROUNDS} rounds of one
 * example, the mean of {@value #REPLICATIONS} runs.
 *
 * <p>Seeds are fixed: there are no false alarms.
 */
class CentralRiskTest {
  private static final int ROUNDS = 2000;
  private static final int REPLICATIONS = 3;
  private static final double SPREAD = 0.1;
  private static final int DESIGN = 1000;

  /**
   * Columns: d, ||w*||, noise of a node over clip norm; then, relative to the risk of doing
   * nothing, the risk of the best of 12 learning rates and of the parameter-free learner.
   */
  @ParameterizedTest
  @CsvSource({
    "2, 0.1, 1, 0.001, 0.004",
    "2, 0.1, 20, 0.004, 0.033",
    "2, 1, 1, 0.000, 0.001",
    "2, 1, 20, 0.016, 0.009",
    "2, 10, 1, 0.003, 0.023",
    "2, 10, 20, 0.053, 0.033"
  })
  void riskAgainstTheBestLearningRate(
      int dimension, double norm, double noise, double tuned, double parameterFree) {
    assertRisk(dimension, norm, noise, tuned, parameterFree);
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({
    "20, 0.1, 1, 0.187, 0.259",
    "20, 0.1, 20, 0.566, 0.953",
    "20, 1, 1, 0.009, 0.052",
    "20, 1, 20, 0.351, 0.985",
    "20, 10, 1, 0.038, 0.181",
    "20, 10, 20, 0.467, 0.999"
  })
  void riskAgainstTheBestLearningRateInMoreDimensions(
      int dimension, double norm, double noise, double tuned, double parameterFree) {
    assertRisk(dimension, norm, noise, tuned, parameterFree);
  }

  private static void assertRisk(
      int dimension, double norm, double noise, double tuned, double parameterFree) {
    List<PrefixLearner<? extends LearnerState>> learners = new ArrayList<>();
    Averaging uniform = new Averaging(0);
    InitialWeights zero = InitialWeights.zero(dimension);
    for (int k = 0; k < 12; k++) {
      double rate = norm * Math.pow(10, (k - 9) / 2.0);
      learners.add(
          new Ftrl(new FtrlParameters(rate, 0, Double.POSITIVE_INFINITY, 0), uniform, zero));
    }
    learners.add(new ParameterFreeFtrl(1, new Prior.Improper(), 1, uniform, zero));
    double[] best = new double[dimension];
    Arrays.fill(best, norm / Math.sqrt(dimension));
    double[][] design = new double[DESIGN][];
    Random points = new Random(0);
    Arrays.setAll(design, i -> onSphere(dimension, points));
    double nothing = excess(design, best, new double[dimension]);
    double[] shares = new double[learners.size()];
    for (int r = 0; r < REPLICATIONS; r++) {
      Examples examples = new Examples(best, noise, new Random(r));
      for (int i = 0; i < shares.length; i++) {
        double[] average = average(learners.get(i), examples);
        shares[i] += excess(design, best, average) / nothing / REPLICATIONS;
      }
    }
    double least = Arrays.stream(shares, 0, 12).min().orElseThrow();
    assertThat(least).as("tuned").isBetween(tuned - 0.0006, tuned + 0.0006);
    assertThat(shares[12])
        .as("parameter-free")
        .isBetween(parameterFree - 0.0006, parameterFree + 0.0006);
    assertThat(shares[12]).isLessThanOrEqualTo(1.05);
  }

  private static double[] average(PrefixLearner<?> learner, Examples examples) {
    var run = new PrefixRun<>(learner);
    double[] sum = new double[learner.dimension()];
    for (int t = 0; t < ROUNDS; t++) {
      double[] x = examples.x[t];
      Vectors.addScaled(Math.signum(Vectors.dot(x, run.weights()) - examples.y[t]), x, sum);
      double[] noisy = sum.clone();
      Vectors.add(examples.noise[t], noisy);
      run.step(noisy, examples.variance[t]);
    }
    return run.publish().average;
  }

  /** Examples and the noise of their sums, the same for all learners. */
  private static final class Examples {
    private final double[][] x = new double[ROUNDS][];
    private final double[] y = new double[ROUNDS];
    private final double[][] noise;
    private final double[] variance = new double[ROUNDS];

    Examples(double[] best, double level, Random random) {
      int d = best.length;
      noise = new double[ROUNDS][d];
      SimulatedTree tree = new SimulatedTree(d, new Random(random.nextLong()));
      for (int t = 0; t < ROUNDS; t++) {
        x[t] = onSphere(d, random);
        y[t] = Vectors.dot(x[t], best) + SPREAD * (2 * random.nextDouble() - 1);
        tree.next(noise[t]);
        Vectors.scale(level, noise[t], noise[t]);
        variance[t] = level * level * tree.variance();
      }
    }
  }

  private static double excess(double[][] design, double[] best, double[] weights) {
    double[] difference = new double[best.length];
    Arrays.setAll(difference, i -> weights[i] - best[i]);
    double excess = 0;
    for (double[] x : design) {
      double m = Vectors.dot(x, difference);
      excess += Math.abs(m) < SPREAD ? m * m / (2 * SPREAD) : Math.abs(m) - SPREAD / 2;
    }
    return excess / design.length;
  }

  private static double[] onSphere(int dimension, Random random) {
    double[] x = new double[dimension];
    Arrays.setAll(x, i -> random.nextGaussian());
    Vectors.scale(1 / Math.sqrt(Vectors.squaredNorm(x)), x, x);
    return x;
  }
}
