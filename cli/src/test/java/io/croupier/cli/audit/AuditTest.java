package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.randomiser.Clip;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is wrong is refuted, what is right isn't. Mutants have fixed seeds; the real randomisers
 * have none: a run of this class refutes one of them with a probability below 1e-6.
 */
class AuditTest {
  private static final double CONFIDENCE = 1 - 1e-8;
  private static final int SAMPLES = 400_000;

  /** As the real randomiser of G = 1 declares it. */
  private static Claim claim(Kind kind, double level, int dimension) {
    return Claim.of(kind.create(1, dimension, -16, level));
  }

  private static Finding audit(Claim claim, LongFunction<Mechanism> mutant) throws Exception {
    return audit(claim, SAMPLES, CONFIDENCE, 7, mutant);
  }

  private static Finding audit(
      Claim claim, int samples, double confidence, long seed, LongFunction<Mechanism> mutant)
      throws Exception {
    long[] next = {2 * seed};
    return new Audit(claim, samples, confidence, 2).run(() -> mutant.apply(next[0]++), n -> {});
  }

  @ParameterizedTest
  @CsvSource({
    "L2_LAPLACE, 0.5, 1, 0.4",
    "L2_LAPLACE, 1, 1, 0.9",
    "L2_LAPLACE, 4, 1, 3.5",
    "L2_LAPLACE, 0.5, 2, 0.3",
    "L2_LAPLACE, 1, 2, 0.7",
    "L2_LAPLACE, 4, 2, 3.2",
    "L2_LAPLACE, 0.5, 10, 0.1",
    "L2_LAPLACE, 1, 10, 0.3",
    "L2_LAPLACE, 4, 10, 2",
    "COORDINATE_LAPLACE, 1, 1, 0.9",
    "COORDINATE_LAPLACE, 1, 2, 0.8",
    "COORDINATE_LAPLACE, 4, 2, 3.2",
    "COORDINATE_LAPLACE, 4, 10, 2",
    "GAUSSIAN, 0.5, 1, 0.4",
    "GAUSSIAN, 1, 2, 0.9",
    "GAUSSIAN, 4, 10, 3.7"
  })
  void theRealOnesAreNotRefutedThoughMuchOfTheirLevelShows(
      Kind kind, double level, int dimension, double shows) throws Exception {
    Claim claim = claim(kind, level, dimension);

    Finding finding =
        new Audit(claim, 200_000, CONFIDENCE, 2)
            .run(() -> kind.create(1, dimension, -16, level)::randomise, n -> {});

    assertThat(finding.refuted()).as(finding.toString()).isFalse();
    assertThat(finding.leastLevel()).isBetween(shows, level);
  }

  /** Only opposite corners differ in every coordinate. */
  @Test
  void alongAnAxisCoordinatesShowOnlyTheirOwnTau() throws Exception {
    double[] taus = {1, 2, Double.POSITIVE_INFINITY};
    Supplier<Randomiser> randomisers =
        () -> new CoordinateLaplaceRandomiser(1, -16, taus, Clip.COORDINATES);
    Claim corners = Claim.of(randomisers.get());
    Claim axis = Claim.of(randomisers.get(), Pair.alongTheFirstAxis(randomisers.get()));

    Finding ofCorners =
        new Audit(corners, 200_000, CONFIDENCE, 2).run(() -> randomisers.get()::randomise, n -> {});
    Finding ofAxis =
        new Audit(axis, 200_000, CONFIDENCE, 2).run(() -> randomisers.get()::randomise, n -> {});

    assertThat(ofCorners.refuted()).as(ofCorners.toString()).isFalse();
    assertThat(ofCorners.leastLevel()).isBetween(2.6, 3.0);
    assertThat(ofCorners.leastLevelAt95()).isBetween(ofCorners.leastLevel(), 3.05);
    assertThat(ofCorners.event().statistic()).isEqualTo(Statistic.COORDINATES);
    assertThat(ofAxis.refuted()).as(ofAxis.toString()).isFalse();
    assertThat(ofAxis.leastLevel()).isBetween(0.9, 1.0);
  }

  @Test
  void clippedToABallCoordinatesGiveAwayNoMoreThanTheNormOfTheirTaus() throws Exception {
    double[] taus = {1, 1, 1, 1};
    Claim corners = claim(Kind.COORDINATE_LAPLACE, 4, 4);

    Finding finding =
        new Audit(corners, 200_000, CONFIDENCE, 2)
            .run(() -> new CoordinateLaplaceRandomiser(1, -16, taus, Clip.L2)::randomise, n -> {});

    assertThat(finding.leastLevel()).as(finding.toString()).isBetween(1.6, 2.0);
  }

  /** Which is also what a sensitivity of G instead of 2G comes to. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10})
  void halfTheNoiseIsRefuted(int dimension) throws Exception {
    Claim laplace = claim(Kind.L2_LAPLACE, 1, dimension);
    Finding ofLaplace = audit(laplace, seed -> Mutant.laplace(laplace, dimension, 2.0 / 2, seed));
    assertThat(ofLaplace.refutesLevel()).as(ofLaplace.toString()).isTrue();
    assertThat(ofLaplace.refutesVariance()).isTrue();

    Claim coordinates = claim(Kind.COORDINATE_LAPLACE, 1, dimension);
    Finding ofCoordinates =
        audit(coordinates, seed -> Mutant.coordinates(coordinates, 2.0 * dimension / 2, seed));
    assertThat(ofCoordinates.refutesLevel()).as(ofCoordinates.toString()).isTrue();
    assertThat(ofCoordinates.refutesVariance()).isTrue();

    Claim gaussian = claim(Kind.GAUSSIAN, 1, dimension);
    Finding ofGaussian = audit(gaussian, seed -> Mutant.gaussian(gaussian, 2.0 / 2, seed));
    assertThat(ofGaussian.leastLevel()).isBetween(1.9, 2.0);
    assertThat(ofGaussian.refutesLevel()).isTrue();
    assertThat(ofGaussian.refutesVariance()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 10, 50})
  void aRadiusOfOneDegreeLessIsRefuted(int dimension) throws Exception {
    Claim claim = claim(Kind.L2_LAPLACE, 1, dimension);

    Finding finding = audit(claim, seed -> Mutant.laplace(claim, dimension - 1, 2, seed));

    assertThat(finding.refutesVariance()).as(finding.toString()).isTrue();
  }

  @Test
  void tailsThatAreTooLightAreRefutedThoughTheVarianceIsRight() throws Exception {
    Claim claim = claim(Kind.L2_LAPLACE, 1, 1);

    Finding finding =
        audit(claim, seed -> Mutant.gaussian(claim, Math.sqrt(claim.variance()), seed));

    assertThat(finding.refutesLevel()).as(finding.toString()).isTrue();
    assertThat(finding.refutesVariance()).isFalse();
    assertThat(finding.event().statistic()).isEqualTo(Statistic.PROJECTION);
  }

  @Test
  void noNoiseAndTooMuchNoiseAndNoiseThatIsOffCentreAreRefuted() throws Exception {
    Claim claim = claim(Kind.GAUSSIAN, 1, 3);
    Finding none = audit(claim, seed -> Mutant.gaussian(claim, 0, seed));
    assertThat(none.refutesLevel()).isTrue();
    assertThat(none.refutesVariance()).isTrue();

    Finding much = audit(claim, seed -> Mutant.gaussian(claim, 2.1, seed));
    assertThat(much.refutesLevel()).isFalse();
    assertThat(much.refutesVariance()).isTrue();

    Finding offCentre =
        audit(
            claim,
            seed -> {
              Mechanism right = Mutant.gaussian(claim, 2, seed);
              return gradient -> {
                int[] released = right.release(gradient);
                released[0] += 1 << 15;
                return released;
              };
            });
    assertThat(offCentre.refutesLevel()).isFalse();
    assertThat(offCentre.refutesVariance()).isTrue();
  }

  @Test
  void noiseThatLeavesOutStepsOfTheGridIsRefuted() throws Exception {
    Claim claim = claim(Kind.GAUSSIAN, 1, 3);

    Finding finding =
        audit(
            claim,
            seed -> {
              Mechanism right = Mutant.gaussian(claim, 2, seed);
              return gradient -> {
                int[] released = right.release(gradient);
                released[0] &= -2;
                return released;
              };
            });

    assertThat(finding.noise().oddShare()).isZero();
    assertThat(finding.refutesGrid()).isTrue();
    assertThat(finding.refutesLevel()).isFalse();
    assertThat(finding.refutesVariance()).isFalse();
  }

  /**
   * At a confidence of 0.9, of 200 audits of what just keeps its promise at most 20 are refuted in
   * expectation, and 44 or more with a probability below 1e-6.
   */
  @Test
  void falseAlarmsAreAsRareAsIsSaid() throws Exception {
    Claim claim = claim(Kind.L2_LAPLACE, 1, 1);
    int alarms = 0;
    for (int run = 0; run < 200; run++) {
      Finding finding = audit(claim, 2000, 0.9, run, seed -> Mutant.laplace(claim, 1, 2, seed));
      alarms += finding.refuted() ? 1 : 0;
    }
    assertThat(alarms).isBetween(1, 43);
  }
}
