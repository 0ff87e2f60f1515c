package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import java.util.Random;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Minimisers of quadratics in a ball, by their multiplier conditions and by brute force. */
class LeastSquaresTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 40})
  void minimisersOfRandomQuadraticsMeetTheMultiplierConditions(int d) {
    Random random = new Random(d);
    for (int i = 0; i < 200; i++) {
      double[][] a = symmetric(d, random, 2 * random.nextInt(3) - 2);
      double[] b = gaussian(d, random, Math.exp(4 * random.nextGaussian()));
      assertMinimiser(a, b, Math.exp(2 * random.nextGaussian()), "d = " + d + ", case " + i);
    }
  }

  /** b has no component, or nearly none, in the least eigenspace, which may have any dimension. */
  @Test
  void hardAndNearlyHardCases() {
    Random random = new Random(1);
    for (int i = 0; i < 400; i++) {
      int d = 2 + random.nextInt(8);
      int multiplicity = 1 + random.nextInt(d - 1);
      double share = i % 2 == 0 ? 0 : Math.pow(10, -20 * random.nextDouble());
      double[] eigenvalues = new double[d];
      double[] inBasis = new double[d];
      for (int j = 0; j < d; j++) {
        eigenvalues[j] = j < multiplicity ? -1 : 3 * random.nextDouble() - 0.9;
        inBasis[j] = (j < multiplicity ? share : 1) * random.nextGaussian();
      }
      RealMatrix q = i % 4 < 2 ? MatrixUtils.createRealIdentityMatrix(d) : orthogonal(d, random);
      double[][] a =
          q.multiply(MatrixUtils.createRealDiagonalMatrix(eigenvalues))
              .multiply(q.transpose())
              .getData();
      double[] b = q.operate(inBasis);
      assertMinimiser(symmetrised(a), b, Math.exp(2 * random.nextGaussian()), "case " + i);
    }
  }

  @Test
  void hardCaseInThePlane() {
    double[] theta = {0.3, 0};
    BallQuadratic.solve(new double[][] {{1, 0}, {0, -1}}, theta, 2);

    assertThat(theta[0]).isCloseTo(0.15, within(1e-15));
    assertThat(Math.abs(theta[1])).isCloseTo(Math.sqrt(4 - 0.15 * 0.15), within(1e-15));
  }

  @Test
  void noPointOfTheDiscIsBetter() {
    Random random = new Random(2);
    for (int i = 0; i < 50; i++) {
      double[][] a = symmetric(2, random, 2 * random.nextInt(3) - 2);
      double[] b = gaussian(2, random, 1);
      double radius = 0.2 + 2 * random.nextDouble();
      double[] theta = solve(a, b, radius);
      double least = value(a, b, theta);
      for (int r = 0; r <= 40; r++) {
        for (int k = 0; k < 120; k++) {
          double angle = 2 * Math.PI * k / 120;
          double[] point = {radius * r / 40 * Math.cos(angle), radius * r / 40 * Math.sin(angle)};
          assertThat(value(a, b, point)).as("case %d", i).isGreaterThanOrEqualTo(least - 1e-12);
        }
      }
    }
  }

  @Test
  void degenerateQuadratics() {
    assertThat(solve(new double[3][3], new double[3], 2)).containsExactly(0, 0, 0);
    assertThat(solve(new double[1][1], new double[] {5}, 2)).containsExactly(2);
    assertThat(solve(new double[][] {{4}}, new double[] {2}, 2)).containsExactly(0.5);
    assertThat(Math.abs(solve(new double[][] {{-4}}, new double[] {0}, 2)[0])).isEqualTo(2);
    assertThat(solve(new double[][] {{1e300}}, new double[] {1e300}, 1e150)[0])
        .isCloseTo(1, within(1e-15));
    assertThat(solve(new double[][] {{1}}, new double[] {-1e300}, 1e-300)[0]).isEqualTo(-1e-300);
    assertThat(solve(new double[][] {{1e-300}}, new double[] {1e300}, 1e150)[0])
        .isCloseTo(1e150, within(1e135));
    assertThat(solve(new double[][] {{-1e300, 0}, {0, 1e-300}}, new double[] {0, 1}, 1e-150))
        .satisfies(theta -> assertThat(Math.hypot(theta[0], theta[1])).isLessThan(1.0001e-150));
  }

  @Test
  void withoutNoiseTheAnswerIsRidgeRegression() {
    int d = 5;
    Random random = new Random(3);
    ExampleMoments moments = new ExampleMoments(d, 2, 3);
    var run = ftrl(moments, new LeastSquaresParameters(0.5, 100), 1, 0, 0, -1, 0);
    RealMatrix normal = MatrixUtils.createRealIdentityMatrix(d).scalarMultiply(0.25);
    double[] right = {0.25, 0, 0, -0.25, 0};
    double[] sum = new double[moments.size()];
    double[] example = new double[moments.size()];
    Iterate out = run.publish();
    assertThat(out.weights).containsExactly(1, 0, 0, -1, 0);
    double[] played = new double[d];
    for (int t = 0; t < 30; t++) {
      Vectors.add(out.weights, played);
      double[] x = gaussian(d, random, 0.3);
      double y = random.nextGaussian();
      moments.of(x, y, example);
      Vectors.add(example, sum);
      double norm = Math.sqrt(Vectors.squaredNorm(x));
      Vectors.scale(Math.min(1, 2 / norm), x, x);
      RealMatrix column = new Array2DRowRealMatrix(x);
      normal = normal.add(column.multiply(column.transpose()));
      Vectors.addScaled(Math.max(-3, Math.min(3, y)), x, right);
      run.step(sum);
      out = run.publish();
      double[] expected =
          new CholeskyDecomposition(normal)
              .getSolver()
              .solve(MatrixUtils.createRealVector(right))
              .toArray();
      assertThat(out.weights).containsExactly(expected, within(1e-11));
    }
    Vectors.scale(1 / 30.0, played, played);
    assertThat(out.average).containsExactly(played, within(1e-13));
    assertThat(out.diagnostics).containsEntry("saturations", 0.0);
  }

  @Test
  void sumsOutOfRangeSaturateAndAreCounted() {
    ExampleMoments moments = new ExampleMoments(2, 1e100, 1e100);
    var run = ftrl(moments, new LeastSquaresParameters(1, 3), Double.MAX_VALUE, -Double.MAX_VALUE);
    double[] sum = new double[moments.size()];
    Arrays.fill(sum, -Double.MAX_VALUE);
    run.step(sum);
    Iterate out = run.publish();

    assertThat(Math.hypot(out.weights[0], out.weights[1])).isCloseTo(3, within(1e-12));
    assertThat(Math.hypot(out.average[0], out.average[1])).isCloseTo(3, within(1e-12));
    assertThat(out.diagnostics).containsEntry("saturations", 1.0);
  }

  private static PrefixRun<LeastSquaresFtrl.State> ftrl(
      ExampleMoments moments, LeastSquaresParameters parameters, double... start) {
    return new PrefixRun<>(
        new LeastSquaresFtrl(moments, parameters, new Averaging(0), InitialWeights.of(start)));
  }

  /**
   * (A + nu I) theta = b, A + nu I >= 0, nu >= 0, nu = 0 inside: to 1e-11 of the sum of magnitudes.
   */
  private static void assertMinimiser(double[][] a, double[] b, double radius, String description) {
    int d = b.length;
    double[] theta = solve(a, b, radius);
    double norm = Math.sqrt(Vectors.squaredNorm(theta));
    assertThat(norm).as(description).isLessThanOrEqualTo(radius * (1 + 1e-15));
    double[] residual = residual(a, b, theta);
    double unit = largestNorm(a) + Math.sqrt(Vectors.squaredNorm(b)) / radius;
    double nu = 0;
    if (norm > radius * (1 - 1e-9)) {
      nu = Math.max(0, -Vectors.dot(residual, theta) / (norm * norm));
      Vectors.addScaled(nu, theta, residual);
    }
    assertThat(Math.sqrt(Vectors.squaredNorm(residual)))
        .as(description)
        .isLessThanOrEqualTo(1e-11 * unit * radius);
    double slack = 1e-10 * unit;
    double[][] shifted = new double[d][];
    for (int i = 0; i < d; i++) {
      shifted[i] = a[i].clone();
      shifted[i][i] += nu + slack;
    }
    new CholeskyDecomposition(new Array2DRowRealMatrix(shifted), 1e-12, 0);
  }

  /** A theta - b. */
  private static double[] residual(double[][] a, double[] b, double[] theta) {
    double[] values = new double[b.length];
    Arrays.setAll(values, i -> Vectors.dot(a[i], theta) - b[i]);
    return values;
  }

  private static double value(double[][] a, double[] b, double[] theta) {
    double value = -2 * Vectors.dot(b, theta);
    for (int i = 0; i < b.length; i++) {
      value += theta[i] * Vectors.dot(a[i], theta);
    }
    return value;
  }

  private static double[] solve(double[][] a, double[] b, double radius) {
    double[] theta = b.clone();
    BallQuadratic.solve(
        Arrays.stream(a).map(double[]::clone).toArray(double[][]::new), theta, radius);
    return theta;
  }

  private static double largestNorm(double[][] a) {
    return Math.sqrt(Arrays.stream(a).mapToDouble(Vectors::squaredNorm).sum());
  }

  private static double[][] symmetric(int d, Random random, double shift) {
    double[][] a = new double[d][d];
    for (int i = 0; i < d; i++) {
      a[i][i] = random.nextGaussian() + shift;
      for (int j = i + 1; j < d; j++) {
        a[i][j] = random.nextGaussian();
        a[j][i] = a[i][j];
      }
    }
    return a;
  }

  private static double[][] symmetrised(double[][] a) {
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < i; j++) {
        a[i][j] = a[j][i];
      }
    }
    return a;
  }

  private static RealMatrix orthogonal(int d, Random random) {
    double[][] values = new double[d][];
    Arrays.setAll(values, i -> gaussian(d, random, 1));
    return new QRDecomposition(new Array2DRowRealMatrix(values)).getQ();
  }

  private static double[] gaussian(int d, Random random, double scale) {
    double[] values = new double[d];
    Arrays.setAll(values, i -> scale * random.nextGaussian());
    return values;
  }
}
