package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.apache.commons.math3.stat.inference.KolmogorovSmirnovTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrivUnitReleaseTest {
  private static final double BOUND = 0.25;
  private static final int RELEASES = 20_000;

  /**
   * Two samples of one law differ by as much with probability at most 2 exp(-2 2.95^2) = 5.6e-8
   * (Wei and Dudley 2012); one of the 16 comparisons does with at most 9e-7.
   */
  private static final double LARGEST_DISTANCE = 2.95 / Math.sqrt(RELEASES / 2.0);

  /** Against the releases of a device, expanded as the job does. */
  @ParameterizedTest
  @CsvSource({"3,0.3,1", "8,1,2"})
  void releasesHaveTheLawOfDevices(int dimension, double share, double epsilon) {
    assertLawOfDevices(dimension, share, epsilon);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2,0.6,8", "20,1,8"})
  void releasesOfManyCandidatesHaveTheLawOfDevices(int dimension, double share, double epsilon) {
    assertLawOfDevices(dimension, share, epsilon);
  }

  private static void assertLawOfDevices(int dimension, double share, double epsilon) {
    PrivUnitRandomiser device = new PrivUnitRandomiser(BOUND, dimension, epsilon);
    Release release = StudiedMechanism.PRIV_UNIT.release(dimension, BOUND, epsilon);
    SeededRandom random = new SeededRandom(1);
    double[] direction = new double[dimension];
    random.sphere(direction);
    double[] gradient = new double[dimension];
    Vectors.scale(share * BOUND, direction, gradient);

    double[][] ours = new double[4][RELEASES];
    double[][] theirs = new double[4][RELEASES];
    double[] released = new double[dimension];
    for (int i = 0; i < RELEASES; i++) {
      release.draw(gradient, random, released);
      statistics(direction, released, ours, i);
      PrivUnitRandomiser.Choice choice = device.choose(gradient);
      double length = device.law().scale() * BOUND;
      CandidateVectors.expand(choice.seed(), choice.index(), length, released);
      statistics(direction, released, theirs, i);
    }

    KolmogorovSmirnovTest test = new KolmogorovSmirnovTest();
    for (int s = 0; s < ours.length; s++) {
      assertThat(test.kolmogorovSmirnovStatistic(ours[s], theirs[s])).isLessThan(LARGEST_DISTANCE);
    }
  }

  /** Along the gradient, across it, along an axis, and the length. */
  private static void statistics(double[] direction, double[] released, double[][] into, int i) {
    double along = Vectors.dot(direction, released);
    double across = direction[1] * released[0] - direction[0] * released[1];
    into[0][i] = along;
    into[1][i] = across;
    into[2][i] = released[released.length - 1];
    into[3][i] = Vectors.squaredNorm(released);
  }

  /** Within 5.5 standard errors: all nine fail by chance with probability below 4e-7. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1,1", "8,8", "20,4"})
  void momentsAreThoseOfTheLaw(int dimension, double epsilon) {
    PrivUnitLaw law = new PrivUnitRandomiser(BOUND, dimension, epsilon).law();
    Release release = StudiedMechanism.PRIV_UNIT.release(dimension, BOUND, epsilon);
    SeededRandom random = new SeededRandom(2);
    double[] gradient = new double[dimension];
    gradient[0] = BOUND;
    double[] released = new double[dimension];
    SummaryStatistics along = new SummaryStatistics();
    SummaryStatistics squaresAlong = new SummaryStatistics();
    SummaryStatistics squaresAcross = new SummaryStatistics();
    for (int i = 0; i < 200_000; i++) {
      release.draw(gradient, random, released);
      double x = released[0] / BOUND;
      along.addValue(x);
      squaresAlong.addValue((x - 1) * (x - 1));
      double across = Arrays.stream(released).skip(1).map(y -> y * y).sum();
      squaresAcross.addValue(across / BOUND / BOUND);
    }
    assertMean(along, 1);
    assertMean(squaresAlong, law.varianceAlong());
    assertMean(squaresAcross, (dimension - 1) * law.varianceAcross());
  }

  private static void assertMean(SummaryStatistics measured, double expected) {
    double error = measured.getStandardDeviation() / Math.sqrt((double) measured.getN());
    assertThat(measured.getMean()).isCloseTo(expected, within(5.5 * error));
  }
}
