package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.noise.Statistics;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.view.GradientReportView;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Randomisers that are fitted to the clip of a round. */
class FittedRandomiserTest {
  private static final int DIMENSION = 4;
  private static final double[] GRADIENT = {0.3, -0.1, 0.25, 0.7};

  private static GradientGrid grid(double gradientBound) {
    return new GradientGrid(gradientBound, DIMENSION, Math.getExponent(gradientBound) - 16);
  }

  /** As if it had been made for the bound: the same draw has the same effect. */
  @ParameterizedTest
  @EnumSource(value = RandomiserCase.class, names = "OWN", mode = Mode.EXCLUDE)
  void releasesWhatARandomiserOfThatBoundReleases(RandomiserCase randomiserCase) {
    for (double bound : new double[] {1e-4, 0.3, 1, 7.7, 3e5}) {
      GridRandomiser fitted =
          randomiserCase.seeded(grid(1), 2, 7).fitted(bound, grid(bound).gridExponent());
      GridRandomiser made = randomiserCase.seeded(grid(bound), 2 * bound, 7);
      for (int release = 0; release < 3; release++) {
        assertThat(fitted.randomise(GRADIENT))
            .as("bound %s", bound)
            .isEqualTo(made.randomise(GRADIENT));
      }
      assertThat(fitted.gradientBound()).isEqualTo(bound);
      assertThat(fitted.gridExponent()).isEqualTo(made.gridExponent());
      assertThat(fitted.directionalVariance()).isEqualTo(made.directionalVariance());
      assertThat(fitted.cost()).isEqualTo(randomiserCase.seeded(grid(1), 2, 7).cost());
    }
  }

  @ParameterizedTest
  @EnumSource(value = RandomiserCase.class, names = "OWN", mode = Mode.EXCLUDE)
  void declaresTheSame(RandomiserCase randomiserCase) throws Exception {
    GridRandomiser original = randomiserCase.seeded(grid(1), 2, 7);
    assertThat(declaration(original.fitted(0.3, -18))).isEqualTo(declaration(original));
  }

  static GradientReport declaration(GridRandomiser randomiser) throws Exception {
    GradientReportView.Builder report = GradientReportView.newBuilder();
    randomiser.declareIn(report);
    return GradientReport.parseFrom(report.build().toByteArray());
  }

  /** With one generator for both, no two releases have the same noise. */
  @Test
  void drawsFromTheSameGenerator() {
    GridRandomiser original = RandomiserCase.GAUSSIAN.seeded(grid(1), 2, 7);
    GridRandomiser fitted = original.fitted(2, -15);
    double[] zero = new double[DIMENSION];
    int[] first = original.randomise(zero);
    int[] second = fitted.randomise(zero);
    assertThat(second).isNotEqualTo(first);
    GridRandomiser alone = RandomiserCase.GAUSSIAN.seeded(grid(1), 2, 7);
    assertThat(alone.randomise(zero)).isEqualTo(first);
    assertThat(alone.randomise(zero)).isEqualTo(second);
  }

  @Test
  void isTheSameObjectForItsOwnBound() {
    GridRandomiser original = RandomiserCase.L2_LAPLACE.seeded(grid(1), 2, 7);
    assertThat(original.fitted(1, -16)).isSameAs(original);
    PrivUnitRandomiser privUnit = new PrivUnitRandomiser(1, 3, 2);
    assertThat(privUnit.fitted(1, -16)).isSameAs(privUnit);
  }

  /** Its scale is fixed: with another bound, it would have another cost. */
  @Test
  void customNoiseCannotBeFitted() {
    GridRandomiser own = RandomiserCase.OWN.seeded(grid(1), 2, 7);
    assertRefusedWith(
        () -> own.fitted(2, -15), "custom noise can't be fitted to gradientBound 2.0");
    assertThat(own.fitted(1, -16).gradientBound()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-4, 0.3, 7.7, 3e5})
  void privUnitChoosesAsOneOfThatBound(double bound) {
    DoubleFunction<PrivUnitRandomiser> seeded =
        of ->
            new PrivUnitRandomiser(
                of, DIMENSION, 2, 256, Statistics.seeded(4), Statistics.seeded(5));
    PrivUnitRandomiser fitted = seeded.apply(1).fitted(bound, grid(bound).gridExponent());
    PrivUnitRandomiser made = seeded.apply(bound);
    for (int release = 0; release < 20; release++) {
      assertThat(fitted.choose(GRADIENT)).isEqualTo(made.choose(GRADIENT));
    }
    assertThat(fitted.gradientBound()).isEqualTo(bound);
    assertThat(fitted.directionalVariance()).isEqualTo(made.directionalVariance());
    assertThat(fitted.mechanism()).isEqualTo(made.mechanism());
    assertThat(fitted.cost()).isEqualTo(made.cost());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesABoundThatIsNotPositiveAndFinite(double bound) {
    assertRefusedWith(
        () -> new PrivUnitRandomiser(1, 3, 2).fitted(bound, -16), "gradientBound is " + bound);
    assertRefusedWith(
        () -> new L2LaplaceRandomiser(1, 3, -16, 2).fitted(bound, -16),
        "gradientBound is " + bound);
  }

  /** Levels whose noise has room on the grid of 2^16 steps, and none on that of almost 2^17. */
  private static final Map<String, Function<Calibration, Randomiser>> BETWEEN =
      Map.of(
          "gaussian", calibration -> calibration.gaussian(6e-4),
          "l2Laplace", calibration -> calibration.l2Laplace(0.022),
          "coordinateLaplace", calibration -> calibration.coordinateLaplace(0.1),
          "taus", calibration -> calibration.ofTaus(taus(0.1 / Math.sqrt(1000)), ClippingNorm.L2));

  private static double[] taus(double tau) {
    double[] taus = new double[1000];
    Arrays.fill(taus, tau);
    return taus;
  }

  private static Calibration moving(double clip) {
    return new Calibration(clip, 1000, -16, 1, true);
  }

  /** Else a device would report in some rounds and throw in others. */
  @ParameterizedTest
  @ValueSource(strings = {"gaussian", "l2Laplace", "coordinateLaplace", "taus"})
  void calibratesOnlyNoiseThatFitsEveryClip(String mechanism) {
    Function<Calibration, Randomiser> between = BETWEEN.get(mechanism);
    assertThat(between.apply(new Calibration(1, 1000, -16, 1)).gradientBound()).isEqualTo(1);
    for (double clip : new double[] {1, 1.2, 1.99}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> between.apply(moving(clip)))
          .withMessageContaining("on the grid of a moving clip")
          .withMessageContaining("up to 2^17 steps (dimension 1000)")
          .withMessageNotContaining("gridExponent");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gaussian", "l2Laplace", "coordinateLaplace", "taus"})
  void noiseThatDoesNotFitTheGridOfABoundNamesTheBound(String mechanism) {
    Randomiser between = BETWEEN.get(mechanism).apply(new Calibration(1, 1000, -16, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> between.fitted(1.99, -16))
        .withMessageContaining("on the grid of gradientBound 1.99, which has 130416 steps")
        .withMessageContaining("(dimension 1000)")
        .withMessageNotContaining("moving clip");
  }

  @Test
  void whatIsCalibratedForAMovingClipFitsEveryClip() {
    Calibration moving = moving(1.2);
    for (Randomiser randomiser :
        List.of(moving.gaussian(12e-4), moving.l2Laplace(0.04), moving.coordinateLaplace(0.15))) {
      for (double clip : new double[] {1e-4, 1, 1.2, Math.nextDown(2), 2, 7.7, 3e5}) {
        Randomiser fitted = randomiser.fitted(clip, grid(clip).gridExponent());
        assertThat(fitted.gradientBound()).isEqualTo(clip);
        assertThat(fitted.mechanism()).isEqualTo(randomiser.mechanism());
      }
    }
  }
}
