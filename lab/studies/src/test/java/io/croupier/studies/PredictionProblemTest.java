package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredictionProblemTest {

  /** Against the mean over a fixed sample of the sphere, within 4 of its standard errors. */
  @ParameterizedTest
  @CsvSource({"ABSOLUTE,2", "ABSOLUTE,5", "ABSOLUTE,20"})
  void quadratureOnTheSphereIsTheMeanOverIt(Loss loss, int dimension) {
    Design design = new Design(FeatureLaw.SPHERE, dimension, 100_000);
    double[] best = PredictionProblem.dense(dimension, 1);
    PredictionProblem problem = new PredictionProblem(design, loss, best);
    for (double size : new double[] {0.1, 2, 50, 1e6}) {
      double[] weights = new double[dimension];
      weights[0] = size;
      double sum = 0;
      double squares = 0;
      for (double[] x : design.points) {
        double excess = loss.excess(Vectors.dot(x, best), Vectors.dot(x, weights));
        sum += excess;
        squares += excess * excess;
      }
      double mean = sum / design.points.length;
      double error = Math.sqrt((squares / design.points.length - mean * mean) / 100_000);
      assertThat(problem.excess(weights)).isCloseTo(mean, within(4 * error));
    }
  }
}
