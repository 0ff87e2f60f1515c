package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import java.util.Arrays;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rho and mu that are charged, against a million releases of the real randomisers. Between g
 * and h = -g, the mean of the loss is rho, and mu is that of the event that the loss is positive,
 * which has with h the probability of a negative loss with g.
 *
 * <p>The releases have no seed. A charge that is right is refuted with a probability of at most
 * 3e-9 a case, one that is a fifth too low is missed with less.
 */
class OwnLossTest {
  private static final int RELEASES = 1_000_000;
  private static final double ERRORS = 6;
  private static final double FALSE_ALARM = 1e-9;
  private static final int GRID = -20;

  private static final class Measured {
    private final double mean;
    private final double error;
    private final double leastMu;

    Measured(DoubleSupplier draw) {
      double sum = 0;
      double squares = 0;
      int positive = 0;
      int negative = 0;
      for (int i = 0; i < RELEASES; i++) {
        double loss = draw.getAsDouble();
        sum += loss;
        squares += loss * loss;
        positive += loss > 0 ? 1 : 0;
        negative += loss < 0 ? 1 : 0;
      }
      mean = sum / RELEASES;
      error = Math.sqrt((squares / RELEASES - mean * mean) / RELEASES);
      leastMu =
          PrivacyDefinition.MU.leastLevel(
              ClopperPearson.lower(positive, RELEASES, FALSE_ALARM / 2),
              ClopperPearson.upper(negative, RELEASES, FALSE_ALARM / 2));
    }

    void assertRho(PureLoss loss) {
      assertThat(loss.rho()).as("rho of %s", loss).isGreaterThan(mean - ERRORS * error);
      assertThat(0.8 * loss.rho())
          .as("a fifth less than the rho of %s", loss)
          .isLessThan(mean - ERRORS * error);
    }

    void assertMu(PureLoss loss) {
      assertThat(loss.mu()).as("mu of %s", loss).isGreaterThan(leastMu);
      assertThat(0.8 * loss.mu()).as("a fifth less than the mu of %s", loss).isLessThan(leastMu);
    }
  }

  /** The ranks are counted here, and not taken from the randomiser. */
  private static void assertPrivUnit(int dimension, double epsilon) {
    PrivUnitRandomiser randomiser = new PrivUnitRandomiser(1, dimension, epsilon, 64);
    int top = randomiser.law().top();
    double[] g = new double[dimension];
    g[0] = 1;
    double[] axis = Arrays.copyOf(g, dimension + 1);
    Measured measured =
        new Measured(
            () -> {
              PrivUnitRandomiser.Choice choice = randomiser.choose(g);
              double own = CandidateVectors.height(choice.seed(), choice.index() / 2, axis);
              int higher = 0;
              for (int pair = 0; pair < 32; pair++) {
                double other = CandidateVectors.height(choice.seed(), pair, axis);
                higher += Math.abs(other) > Math.abs(own) ? 1 : 0;
              }
              boolean isAlong = own >= 0 == (choice.index() % 2 == 0);
              return higher >= top ? 0 : isAlong ? epsilon : -epsilon;
            });
    PureLoss loss = randomiser.mechanism().cost().loss();
    measured.assertRho(loss);
    measured.assertMu(loss);
  }

  @Tag("thorough")
  @Test
  void privUnit() {
    assertPrivUnit(2, 2);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2, 0.5", "8, 4"})
  void privUnitOfOtherLevels(int dimension, double epsilon) {
    assertPrivUnit(dimension, epsilon);
  }

  private static void assertL2Laplace(int dimension, double epsilon) {
    GridRandomiser randomiser = new L2LaplaceRandomiser(1, dimension, GRID, epsilon);
    double[] g = new double[dimension];
    g[0] = 1;
    Measured measured =
        new Measured(
            () -> {
              int[] steps = randomiser.randomise(g);
              double across = 0;
              for (int j = 1; j < dimension; j++) {
                across += Math.scalb((double) steps[j] * steps[j], 2 * GRID);
              }
              double along = Math.scalb((double) steps[0], GRID);
              double ofG = Math.sqrt((along - 1) * (along - 1) + across);
              double ofH = Math.sqrt((along + 1) * (along + 1) + across);
              return epsilon / 2 * (ofH - ofG);
            });
    PureLoss loss = PureLoss.ofRadial(epsilon, dimension);
    measured.assertRho(loss);
    measured.assertMu(loss);
  }

  @Tag("thorough")
  @Test
  void l2Laplace() {
    assertL2Laplace(2, 0.5);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"8, 2", "20, 4"})
  void l2LaplaceOfOtherLevels(int dimension, double epsilon) {
    assertL2Laplace(dimension, epsilon);
  }

  /** mu is attained in one dimension; in more, it is that of a worse pair. */
  private static void assertCoordinateLaplace(int dimension, double epsilon) {
    double[] taus = new double[dimension];
    double[] g = new double[dimension];
    Arrays.fill(taus, epsilon / Math.sqrt(dimension));
    Arrays.fill(g, 1 / Math.sqrt(dimension));
    GridRandomiser randomiser = new CoordinateLaplaceRandomiser(1, GRID, taus, ClippingNorm.L2);
    Measured measured =
        new Measured(
            () -> {
              int[] steps = randomiser.randomise(g);
              double loss = 0;
              for (int j = 0; j < dimension; j++) {
                double x = Math.scalb((double) steps[j], GRID);
                loss += taus[j] / 2 * (Math.abs(x + g[j]) - Math.abs(x - g[j]));
              }
              return loss;
            });
    PureLoss loss = randomiser.mechanism().cost().loss();
    measured.assertRho(loss);
    assertThat(loss.mu()).as("mu of %s", loss).isGreaterThan(measured.leastMu);
    if (dimension == 1) {
      measured.assertMu(loss);
    }
  }

  /** 2G are two steps, and so is twice a scale: what continuous noise loses is refuted. */
  @Tag("thorough")
  @Test
  void coordinateLaplaceOnACoarseGrid() {
    GridRandomiser randomiser = new CoordinateLaplaceRandomiser(1, 0, new double[] {2});
    double[] g = {1};
    Measured measured =
        new Measured(
            () -> {
              int z = randomiser.randomise(g)[0];
              return Math.abs(z + 1) - Math.abs(z - 1);
            });
    PureLoss loss = randomiser.mechanism().cost(new GradientSpace(1, 1, 0)).loss();
    measured.assertRho(loss);
    measured.assertMu(loss);
    PureLoss continuous = PureLoss.ofCoordinates(2, 1);
    assertThat(continuous.rho()).isLessThan(measured.mean - ERRORS * measured.error);
    assertThat(continuous.mu()).isLessThan(measured.leastMu);
  }

  @Tag("thorough")
  @Test
  void coordinateLaplace() {
    assertCoordinateLaplace(1, 4);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1, 0.5", "8, 2", "20, 4"})
  void coordinateLaplaceOfOtherLevels(int dimension, double epsilon) {
    assertCoordinateLaplace(dimension, epsilon);
  }
}
