package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.noise.Statistics;
import io.croupier.schemas.SubExponential;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class UndisclosedRandomiserTest {

  /** Custom noise with given draws and given stated properties. */
  private record Noise(
      double directionalVariance,
      SubExponential subExponential,
      ReleaseCost cost,
      BiConsumer<RandomGenerator, double[]> law)
      implements SymmetricNoise {

    private Noise(BiConsumer<RandomGenerator, double[]> law) {
      this(1, pair(2, 0.5), ReleaseCost.UNKNOWN, law);
    }

    private Noise(double directionalVariance, double variance, double betaMax) {
      this(
          directionalVariance, pair(variance, betaMax), ReleaseCost.UNKNOWN, (random, noise) -> {});
    }

    private static SubExponential pair(double variance, double betaMax) {
      return SubExponential.newBuilder().setVariance(variance).setBetaMax(betaMax).build();
    }

    @Override
    public void draw(RandomGenerator random, double[] noise) {
      law.accept(random, noise);
    }
  }

  private static SymmetricNoise constant(double value) {
    return new Noise((random, noise) -> Arrays.fill(noise, value));
  }

  private static GridRandomiser seeded(int dimension, int exponent, SymmetricNoise noise) {
    return new OwnRandomiser(
        new GradientGrid(1, dimension, exponent), noise, Statistics.seeded(41));
  }

  private static GradientReportView.DeclarationCase declaration(GridRandomiser randomiser) {
    GradientReportView.Builder report = GradientReportView.newBuilder();
    randomiser.declareIn(report);
    return report.getDeclarationCase();
  }

  @Test
  void disclosesNothingAndChargesTheNoisesCost() {
    GridRandomiser said = new L2LaplaceRandomiser(0.5, 3, -17, 2);
    GridRandomiser unsaid = new UndisclosedRandomiser(said);
    assertThat(declaration(unsaid)).isEqualTo(GradientReportView.DeclarationCase.UNDISCLOSED);
    assertThat(unsaid.dimension()).isEqualTo(3);
    assertThat(unsaid.gradientBound()).isEqualTo(0.5);
    assertThat(unsaid.gridExponent()).isEqualTo(-17);
    assertThat(unsaid.sensitivity()).isEqualTo(1);
    assertThat(unsaid.directionalVariance()).isEqualTo(said.directionalVariance());
    assertThat(unsaid.subExponential()).isEqualTo(said.subExponential());
    assertThat(unsaid.cost())
        .isEqualTo(new ReleaseCost(new BigDecimal(2), BigDecimal.ZERO, false, true));
  }

  @Test
  void customNoiseHasItsStatedProperties() {
    SubExponential pair = Noise.pair(9, 0.25);
    GridRandomiser own =
        UndisclosedRandomiser.of(
            0.5, 3, -17, new Noise(7, pair, ReleaseCost.ofMu(0.1), (r, z) -> {}));
    assertThat(declaration(own)).isEqualTo(GradientReportView.DeclarationCase.UNDISCLOSED);
    assertThat(own.dimension()).isEqualTo(3);
    assertThat(own.gradientBound()).isEqualTo(0.5);
    assertThat(own.gridExponent()).isEqualTo(-17);
    assertThat(own.sensitivity()).isEqualTo(1);
    assertThat(own.directionalVariance()).isEqualTo(7);
    assertThat(own.subExponential()).isEqualTo(pair);
    assertThat(own.cost())
        .isEqualTo(new ReleaseCost(BigDecimal.ZERO, new BigDecimal("0.1"), false, true));
  }

  @Test
  void theWholeDrawIsNegatedOrNot() {
    GridRandomiser own = seeded(3, -4, new Noise((random, z) -> arrayOf(z, 2, -0.5, 0.25)));
    int[] turned = {0, 0};
    for (int n = 0; n < 200; n++) {
      // Clipped: 16, 0, 0 sixteenths.
      int[] released = own.randomise(new double[] {1, 0, 0});
      boolean back = released[0] < 16;
      turned[back ? 1 : 0]++;
      assertThat(released).containsExactly(back ? new int[] {-16, 8, -4} : new int[] {48, -8, 4});
    }
    // Fewer than 40 of either have probability below 1e-17 with a new seed.
    assertThat(turned[0]).isBetween(40, 160);
  }

  private static void arrayOf(double[] target, double... values) {
    System.arraycopy(values, 0, target, 0, values.length);
  }

  /** A guarantee for real numbers thus transfers to the grid: (g + z) rounded is g + z rounded. */
  @Test
  void halvesAreRoundedTheSameWayForEveryGradient() {
    for (int gradient : new int[] {0, 1}) {
      GridRandomiser own = seeded(1, 0, constant(0.5));
      GridRandomiser other = seeded(1, 0, constant(1));
      for (int n = 0; n < 100; n++) {
        assertThat(own.randomise(new double[] {gradient}))
            .isEqualTo(other.randomise(new double[] {gradient}));
      }
    }
  }

  @Test
  void clipsToTheNormAndSaturates() {
    assertThat(seeded(2, -16, constant(0)).randomise(new double[] {30, -40}))
        .containsExactly(39321, -52428);
    for (double huge : new double[] {1e5, 1e300, Double.MAX_VALUE}) {
      assertThat(Math.abs(seeded(1, -16, constant(huge)).randomise(new double[] {1})[0]))
          .isEqualTo(GradientGrid.LARGEST);
    }
  }

  @Test
  void invalidOrFailingDrawsReleaseNothing() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1.0 / 0}) {
      GridRandomiser own = seeded(2, -16, new Noise((random, z) -> arrayOf(z, 0, bad)));
      assertThatIllegalStateException()
          .isThrownBy(() -> own.randomise(new double[] {0.7, 0.7}))
          .withMessage(
              "noise is not finite at coordinate 1; draw must set every coordinate to a"
                  + " finite number. No report is released");
    }
    GridRandomiser unset = seeded(2, -16, new Noise((random, z) -> z[1] = 1));
    assertThatIllegalStateException()
        .isThrownBy(() -> unset.randomise(new double[2]))
        .withMessageStartingWith("noise is not finite at coordinate 0");
    GridRandomiser failing =
        seeded(
            2,
            -16,
            new Noise(
                (random, z) -> {
                  throw new UnsupportedOperationException("no entropy");
                }));
    assertThatThrownBy(() -> failing.randomise(new double[2])).hasMessage("no entropy");
    assertThatIllegalArgumentException().isThrownBy(() -> unset.randomise(new double[3]));
  }

  @Test
  void keepsNoNoise() {
    double[][] kept = new double[1][];
    GridRandomiser own =
        seeded(
            2,
            -16,
            new Noise(
                (random, z) -> {
                  arrayOf(z, random.nextDouble(), random.nextDouble());
                  kept[0] = z;
                }));
    own.randomise(new double[2]);
    assertThat(kept[0]).containsExactly(0, 0);
  }

  @Test
  void refusesNoiseThatContradictsItself() {
    assertRefused("directionalVariance is -1.0; it must be finite", new Noise(-1, 1, 1));
    assertRefused("directionalVariance is NaN", new Noise(Double.NaN, 1, 1));
    assertRefused("subExponential is {variance 1.0, betaMax 1.0}", new Noise(2, 1, 1));
    assertRefused("variance Infinity", new Noise(2, Double.POSITIVE_INFINITY, 1));
    assertRefused("betaMax 0.0", new Noise(2, 2, 0));
    new OwnRandomiser(new GradientGrid(1, 1, 0), new Noise(0, 0, 1.0 / 0), Statistics.seeded(1));
  }

  @Test
  void refusesNoiseThatByItsStatementDoesNotFitTheGrid() {
    // 2^31 steps of 2^-16 are 32768. Enough for 7.6 standard deviations of normal noise, otherwise
    // for 29 times 1 / betaMax.
    UndisclosedRandomiser.of(1, 2, -16, new Noise(4000.0 * 4000, 4000.0 * 4000, 1.0 / 0));
    assertRefused("gridExponent -15 would do", new Noise(4500.0 * 4500, 4500.0 * 4500, 1.0 / 0));
    UndisclosedRandomiser.of(1, 2, -16, new Noise(1, 2, 1e-3));
    assertRefused(
        "custom noise of variance 1.0 requires noise that exceeds", new Noise(1, 2, 5e-4));
  }

  private static void assertRefused(String message, SymmetricNoise noise) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> UndisclosedRandomiser.of(1, 2, -16, noise))
        .withMessageContaining(message);
  }
}
