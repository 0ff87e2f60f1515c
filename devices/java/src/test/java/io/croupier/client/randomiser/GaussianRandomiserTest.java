package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.noise.DiscreteGaussianLaw;
import io.croupier.noise.Statistics;
import io.croupier.schemas.view.GradientReportView;
import org.junit.jupiter.api.Test;

/** With new seeds, a false alarm of this class would have a probability below 1e-6. */
class GaussianRandomiserTest {

  private static GaussianRandomiser of(double bound, int d, int exponent, double mu) {
    return new GaussianRandomiser(new GradientGrid(bound, d, exponent), mu, Statistics.seeded(21));
  }

  @Test
  void statesItsGuarantee() {
    GaussianRandomiser randomiser = new GaussianRandomiser(0.5, 3, -17, 2);
    assertThat(randomiser.gradientBound()).isEqualTo(0.5);
    assertThat(randomiser.dimension()).isEqualTo(3);
    assertThat(randomiser.gridExponent()).isEqualTo(-17);
    assertThat(randomiser.mu()).isEqualTo(2);
    assertThat(randomiser.sensitivity()).isEqualTo(1);
    assertThat(randomiser.directionalVariance()).isCloseTo(0.25, within(1e-15));
    assertThat(randomiser.directionalVariance()).isGreaterThanOrEqualTo(0.25);
    GradientReportView.Builder report = GradientReportView.newBuilder();
    randomiser.declareIn(report);
    assertThat(report.getGaussian().getMu()).isEqualTo(2);
  }

  @Test
  void refusesALevelThatDoesNotFitTheGridAndNamesTheExponentThatWould() {
    // 2^31 steps of 2^-16 are 32768, enough for 7.9 standard deviations of 4000, but not of 5000.
    new GaussianRandomiser(1, 10, -16, 2.0 / 4000);
    assertRefused(
        () -> new GaussianRandomiser(1, 10, -16, 2.0 / 5000),
        "mu 4.0E-4 requires noise that exceeds 32 bits at gridExponent -16 (gradientBound 1.0,"
            + " dimension 10); gridExponent -15 would do");
    new GaussianRandomiser(1, 10, -15, 2.0 / 5000);
  }

  @Test
  void refusesInvalidMu() {
    for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          () -> new GaussianRandomiser(1, 2, -16, bad),
          "gaussian.mu is " + bad + ": it must be a finite number above 0");
    }
  }

  /** Noise finer than the grid is widened to one step. */
  @Test
  void theLeastNoiseIsOneStep() {
    GridRandomiser randomiser = of(1, 1, 0, 1e300);
    long[] observed = new long[7];
    for (int n = 0; n < 100_000; n++) {
      int z = randomiser.randomise(new double[] {-1.5})[0] + 1;
      observed[Math.abs(z) <= 2 ? z + 2 : z > 0 ? 5 : 6]++;
    }
    double[] probabilities = new double[7];
    double rest = 1;
    for (int z = -2; z <= 2; z++) {
      probabilities[z + 2] = DiscreteGaussianLaw.probability(z, 1);
      rest -= probabilities[z + 2];
    }
    probabilities[5] = rest / 2;
    probabilities[6] = rest / 2;
    Statistics.assertFrequencies("noise", observed, probabilities);
    assertThat(randomiser.directionalVariance()).isCloseTo(1, within(1e-6));
  }
}
