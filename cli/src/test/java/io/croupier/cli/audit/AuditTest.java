package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The audit refutes incorrect mechanisms and doesn't refute correct ones. The power of an audit is
 * asserted only for seeded noise, so it is the same in every run. The real randomisers are not
 * seeded; assertions about them fail by chance with a probability of at most 1 - {@link
 * #CONFIDENCE} (by the normal law, for the variance). A run of this class makes 19 such audits, so
 * it fails by chance with a probability of about 2e-7, and below 1e-6.
 */
class AuditTest {
  private static final double CONFIDENCE = 1 - 1e-8;
  private static final int SAMPLES = 400_000;

  private static GridRandomiser randomiser(NoiseMechanism kind, double level, int dimension) {
    return (GridRandomiser) kind.randomiser(new Calibration(1, dimension, -16, 1), level);
  }

  /** The claim of the real randomiser with G = 1. */
  private static Claim claim(NoiseMechanism kind, double level, int dimension) {
    return Claim.of(randomiser(kind, level, dimension));
  }

  private static Finding audit(Claim claim, LongFunction<AuditedMechanism> mutant)
      throws Exception {
    return audit(claim, SAMPLES, CONFIDENCE, 7, mutant);
  }

  private static Finding audit(
      Claim claim, int samples, double confidence, long seed, LongFunction<AuditedMechanism> mutant)
      throws Exception {
    long[] next = {2 * seed};
    return run(claim, samples, confidence, () -> mutant.apply(next[0]++));
  }

  private static Finding run(
      Claim claim, int samples, double confidence, Supplier<AuditedMechanism> mechanisms)
      throws Exception {
    Audit audit = new Audit("claim", claim, samples);
    return audit.run(
        new Draws(samples, 2, 1 - confidence, n -> {}), () -> audit.releases(mechanisms.get()));
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({
    "L2_LAPLACE, 1, 2, 0.7",
    "COORDINATE_LAPLACE, 1, 2, 0.8",
    "GAUSSIAN, 1, 2, 0.9",
  })
  void realRandomisersAreNotRefutedThoughTheBoundIsTight(
      NoiseMechanism kind, double level, int dimension, double shows) throws Exception {
    assertNotRefuted(kind, level, dimension, shows);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "L2_LAPLACE, 0.5, 1, 0.4",
    "L2_LAPLACE, 1, 1, 0.9",
    "L2_LAPLACE, 4, 1, 3.5",
    "L2_LAPLACE, 0.5, 2, 0.3",
    "L2_LAPLACE, 4, 2, 3.2",
    "L2_LAPLACE, 0.5, 10, 0.1",
    "L2_LAPLACE, 1, 10, 0.3",
    "L2_LAPLACE, 4, 10, 2",
    "COORDINATE_LAPLACE, 1, 1, 0.9",
    "COORDINATE_LAPLACE, 4, 2, 3.2",
    "COORDINATE_LAPLACE, 4, 10, 2",
    "GAUSSIAN, 0.5, 1, 0.4",
    "GAUSSIAN, 4, 10, 3.7"
  })
  void moreRealRandomisersAreNotRefuted(
      NoiseMechanism kind, double level, int dimension, double shows) throws Exception {
    assertNotRefuted(kind, level, dimension, shows);
  }

  private static void assertRefuted(Finding finding, boolean level, boolean variance) {
    assertThat(finding.refutesLevel()).as(finding.toString()).isEqualTo(level);
    assertThat(finding.checks().get(0).refuted()).as(finding.toString()).isEqualTo(variance);
  }

  private static void assertNotRefuted(
      NoiseMechanism kind, double level, int dimension, double shows) throws Exception {
    Claim claim = claim(kind, level, dimension);

    Finding seeded =
        audit(claim, 200_000, CONFIDENCE, 7, seed -> right(claim, kind, level, dimension, seed));
    assertThat(seeded.refuted()).as(seeded.toString()).isFalse();
    assertThat(seeded.leastLevel()).isBetween(shows, level);

    Finding real =
        run(claim, 200_000, CONFIDENCE, () -> randomiser(kind, level, dimension)::randomise);
    assertThat(real.refuted()).as(real.toString()).isFalse();
  }

  /** Seeded noise with the distribution of the real randomiser with G = 1. */
  private static AuditedMechanism right(
      Claim claim, NoiseMechanism kind, double level, int dimension, long seed) {
    return switch (kind) {
      case L2_LAPLACE -> Mutant.laplace(claim, dimension, 2 / level, seed);
      case COORDINATE_LAPLACE -> Mutant.coordinates(claim, 2 * Math.sqrt(dimension) / level, seed);
      case GAUSSIAN -> Mutant.gaussian(claim, 2 / level, seed);
      case PRIV_UNIT -> throw new IllegalArgumentException("CandidateAuditTest has it");
    };
  }

  /** Only opposite corners of the cube differ in every coordinate. */
  @Tag("thorough")
  @Test
  void alongAnAxisTheBoundIsTheCoordinatesTau() throws Exception {
    double[] taus = {1, 2, Double.POSITIVE_INFINITY};
    double[] scales = {2, 1, 0};
    Supplier<GridRandomiser> randomisers =
        () -> new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES);
    Claim corners = Claim.of(randomisers.get());
    assertThat(corners.level()).isEqualTo(3);
    Claim axis = Claim.of(randomisers.get(), NeighbouringPair.alongTheFirstAxis(randomisers.get()));

    Finding ofCorners =
        audit(corners, 200_000, CONFIDENCE, 7, seed -> Mutant.coordinates(corners, scales, seed));
    assertThat(ofCorners.refuted()).as(ofCorners.toString()).isFalse();
    assertThat(ofCorners.leastLevel()).isBetween(2.6, 3.0);
    assertThat(ofCorners.leastLevelAt95()).isBetween(ofCorners.leastLevel(), 3.05);
    assertThat(ofCorners.evidence()).startsWith("Event: " + Statistic.COORDINATES.formula() + " ");
    Finding ofAxis =
        audit(axis, 200_000, CONFIDENCE, 7, seed -> Mutant.coordinates(axis, scales, seed));
    assertThat(ofAxis.refuted()).as(ofAxis.toString()).isFalse();
    assertThat(ofAxis.leastLevel()).isBetween(0.9, 1.0);

    for (Claim claim : List.of(corners, axis)) {
      Finding real = run(claim, 200_000, CONFIDENCE, () -> randomisers.get()::randomise);
      assertThat(real.refuted()).as(real.toString()).isFalse();
    }
  }

  /** The L2 norm of (1, 2, 2) is 3. */
  @Tag("thorough")
  @Test
  void inTheBallTheLossIsAtMostTheNormOfTheTaus() throws Exception {
    double[] taus = {1, 2, 2};
    Supplier<GridRandomiser> randomisers =
        () -> new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.L2);
    Claim claim = Claim.of(randomisers.get());
    assertThat(claim.level()).isEqualTo(3);

    Finding finding = run(claim, 200_000, CONFIDENCE, () -> randomisers.get()::randomise);

    assertThat(finding.refuted()).as(finding.toString()).isFalse();
    assertThat(finding.leastLevel()).isLessThanOrEqualTo(3.0);
  }

  @Tag("ci")
  @Test
  void inTheCubeEachCoordinateHasItsTau() throws Exception {
    for (double open : new double[] {2, Double.POSITIVE_INFINITY}) {
      double[] taus = {0.5, open};
      Supplier<CoordinateLaplaceRandomiser> randomisers =
          () -> new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES);
      Claim claim = Claim.ofLeastTau(randomisers.get());
      assertThat(claim.level()).isEqualTo(0.5);

      Finding finding = run(claim, 200_000, CONFIDENCE, () -> randomisers.get()::randomise);

      assertThat(finding.refuted()).as(finding.toString()).isFalse();
      assertThat(finding.leastLevel()).isLessThanOrEqualTo(0.5);
    }
  }

  /**
   * An incorrect claim: a tau for each coordinate of a gradient that is scaled to L2 norm G. The
   * second coordinate then has a larger privacy loss.
   */
  @Tag("thorough")
  @Test
  void aTauForEachCoordinateInTheBallIsRefuted() throws Exception {
    assertTausInTheBallAreRefuted(0.1, 2, 0.5);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"0.1, Infinity, 8", "0.5, 0.6, 0.55"})
  void otherTausInTheBallAreRefuted(double tau, double other, double shows) throws Exception {
    assertTausInTheBallAreRefuted(tau, other, shows);
  }

  private static void assertTausInTheBallAreRefuted(double tau, double other, double shows)
      throws Exception {
    double[] taus = {tau, other};
    Supplier<CoordinateLaplaceRandomiser> randomisers =
        () -> new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES);
    Claim claim = Claim.ofLeastTau(randomisers.get());

    Finding finding = run(claim, SAMPLES, CONFIDENCE, () -> scaledFirst(randomisers.get()));

    assertThat(finding.refutesLevel()).as(finding.toString()).isTrue();
    assertThat(finding.leastLevel()).isGreaterThan(shows);
    assertThat(finding.evidence())
        .startsWith("Event: " + Statistic.SCALED_COORDINATES.formula() + " ");
  }

  /** After scaling to the L2 ball, no coordinate is clipped. */
  private static AuditedMechanism scaledFirst(GridRandomiser randomiser) {
    return gradient -> {
      double norm = Math.sqrt(Arrays.stream(gradient).map(x -> x * x).sum());
      double factor = Math.min(1, randomiser.gradientBound() / norm);
      return randomiser.randomise(Arrays.stream(gradient).map(x -> factor * x).toArray());
    };
  }

  /** This noise also results from a sensitivity of G instead of 2G. */
  @Tag("ci")
  @Test
  void halfTheNoiseIsRefuted() throws Exception {
    assertHalfTheNoiseIsRefuted(10);
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void halfTheNoiseIsRefutedInFewerDimensions(int dimension) throws Exception {
    assertHalfTheNoiseIsRefuted(dimension);
  }

  private static void assertHalfTheNoiseIsRefuted(int dimension) throws Exception {
    Claim laplace = claim(NoiseMechanism.L2_LAPLACE, 1, dimension);
    Finding ofLaplace = audit(laplace, seed -> Mutant.laplace(laplace, dimension, 2.0 / 2, seed));
    assertRefuted(ofLaplace, true, true);

    Claim coordinates = claim(NoiseMechanism.COORDINATE_LAPLACE, 1, dimension);
    Finding ofCoordinates =
        audit(
            coordinates,
            seed -> Mutant.coordinates(coordinates, 2.0 * Math.sqrt(dimension) / 2, seed));
    assertRefuted(ofCoordinates, true, true);

    Claim gaussian = claim(NoiseMechanism.GAUSSIAN, 1, dimension);
    Finding ofGaussian = audit(gaussian, seed -> Mutant.gaussian(gaussian, 2.0 / 2, seed));
    assertThat(ofGaussian.leastLevel()).isBetween(1.9, 2.0);
    assertRefuted(ofGaussian, true, true);
  }

  @Test
  void aRadiusWithOneDegreeOfFreedomTooFewIsRefuted() throws Exception {
    assertOneDegreeTooFewIsRefuted(10);
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(ints = {2, 50})
  void aRadiusWithOneDegreeTooFewIsRefutedInOtherDimensions(int dimension) throws Exception {
    assertOneDegreeTooFewIsRefuted(dimension);
  }

  private static void assertOneDegreeTooFewIsRefuted(int dimension) throws Exception {
    Claim claim = claim(NoiseMechanism.L2_LAPLACE, 1, dimension);

    Finding finding = audit(claim, seed -> Mutant.laplace(claim, dimension - 1, 2, seed));

    assertThat(finding.checks().get(0).refuted()).as(finding.toString()).isTrue();
  }

  @Tag("thorough")
  @Test
  void tailsThatAreTooLightAreRefutedThoughTheVarianceIsRight() throws Exception {
    Claim claim = claim(NoiseMechanism.L2_LAPLACE, 1, 1);

    Finding finding =
        audit(claim, seed -> Mutant.gaussian(claim, Math.sqrt(claim.variance()), seed));

    assertRefuted(finding, true, false);
    assertThat(finding.evidence()).startsWith("Event: " + Statistic.PROJECTION.formula() + " ");
  }

  /** Changes the first coordinate of each release. */
  private static AuditedMechanism changed(AuditedMechanism right, IntUnaryOperator first) {
    return gradient -> {
      int[] released = right.release(gradient);
      released[0] = first.applyAsInt(released[0]);
      return released;
    };
  }

  @Tag("ci")
  @Test
  void noNoiseAndTooMuchNoiseAndNoiseThatIsOffCentreAreRefuted() throws Exception {
    Claim claim = claim(NoiseMechanism.GAUSSIAN, 1, 3);
    Finding none = audit(claim, seed -> Mutant.gaussian(claim, 0, seed));
    assertRefuted(none, true, true);

    Finding much = audit(claim, seed -> Mutant.gaussian(claim, 2.1, seed));
    assertRefuted(much, false, true);

    Finding offCentre =
        audit(claim, seed -> changed(Mutant.gaussian(claim, 2, seed), steps -> steps + (1 << 15)));
    assertRefuted(offCentre, false, true);
  }

  @Test
  void noiseThatLeavesOutStepsOfTheGridIsRefuted() throws Exception {
    Claim claim = claim(NoiseMechanism.GAUSSIAN, 1, 3);

    Finding finding =
        audit(claim, seed -> changed(Mutant.gaussian(claim, 2, seed), steps -> steps & -2));

    assertThat(finding.checks().get(1).measured()).startsWith("0.0000 ");
    assertThat(finding.checks().get(1).refuted()).isTrue();
    assertRefuted(finding, false, false);
  }

  /**
   * At a confidence of 0.9, at most 20 of 200 audits of a tight guarantee refute it in expectation,
   * and 44 or more with a probability below 1e-6.
   */
  @Tag("ci")
  @Test
  void falseAlarmsAreAsRareAsStated() throws Exception {
    Claim claim = claim(NoiseMechanism.L2_LAPLACE, 1, 1);
    int alarms = 0;
    for (int run = 0; run < 200; run++) {
      Finding finding = audit(claim, 2000, 0.9, run, seed -> Mutant.laplace(claim, 1, 2, seed));
      alarms += finding.refuted() ? 1 : 0;
    }
    assertThat(alarms).isBetween(1, 43);
  }
}
