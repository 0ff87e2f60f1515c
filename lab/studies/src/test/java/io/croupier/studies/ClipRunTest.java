package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Problem;
import io.croupier.studies.ClipTrial.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds are fixed. */
class ClipRunTest {
  private static final int DIMENSION = 5;

  private final DataSet census = Census.load();

  /** The clip is a power of 2, so the unit changes no digit. */
  @Test
  void aFixedClipIsTheGradientBoundOfASpec() {
    assertFixed(StudiedMechanism.L2_LAPLACE);
  }

  @Tag("ci")
  @Test
  void ofPrivUnitAFixedClipIsTheGradientBoundOfASpecToo() {
    assertFixed(StudiedMechanism.PRIV_UNIT);
  }

  private void assertFixed(StudiedMechanism mechanism) {
    double bound = 0.25;
    Problem problem = census.problem();
    int d = problem.dimension();
    MechanismTrial trial =
        new MechanismTrial(
            men(),
            bound,
            mechanism.release(d, bound, 4),
            List.of(new CandidateLearners(d, 1, bound).recommended()),
            new SeededRandom(2));

    Outcome outcome = onCensus(ClipWay.fixed("fixed", bound), mechanism, 4);

    assertThat(outcome.clip()).isEqualTo(bound);
    assertThat(outcome.excess()).isEqualTo(trial.excess(problem.size())[0]).isLessThan(0.1);
  }

  /** Units are powers of 2. */
  @Test
  void theUnitOfTheGradientsChangesNothing() {
    assertSameInOtherUnits(Loss.LOGISTIC);
  }

  @Tag("ci")
  @ParameterizedTest
  @EnumSource(names = {"ABSOLUTE", "SQUARED"})
  void ofOtherLossesTheUnitChangesNothingEither(Loss loss) {
    assertSameInOtherUnits(loss);
  }

  private static void assertSameInOtherUnits(Loss loss) {
    Outcome one = inUnit(1, loss);
    for (double unit : new double[] {1.0 / 128, 64}) {
      Outcome other = inUnit(unit, loss);
      assertThat(other.excess()).isEqualTo(one.excess());
      assertThat(other.clip()).isEqualTo(unit * one.clip());
    }
  }

  private static Outcome inUnit(double unit, Loss loss) {
    Design design = new Design(FeatureLaw.SPHERE, DIMENSION, 500, unit, 0.5);
    double[] best = PredictionProblem.dense(DIMENSION, 1 / unit);
    LinearParticipants people =
        Participants.drawn(new PredictionProblem(design, loss, best), 0, new SeededRandom(3));
    boolean byFeatures = loss == Loss.LOGISTIC;
    ClipWay way =
        byFeatures ? ClipWay.withSlopeRule("slope rule", unit) : ClipWay.moving("moving", unit);
    ClipRun run =
        new ClipRun(
            DIMENSION,
            way,
            byFeatures,
            StudiedMechanism.L2_LAPLACE.release(DIMENSION, 1, 4),
            1,
            4,
            new SeededRandom(4));
    return new ClipTrial(people, List.of(run)).play(5_000).get(0);
  }

  /** A fifth of the men has features of norm 0.33 or less, 2 % of 0.23, 60 % of 0.41. */
  @Tag("ci")
  @ParameterizedTest
  @ValueSource(doubles = {100, 1, 0.01})
  void theClipIsFoundFromFarAway(double initial) {
    Outcome outcome = onCensus(ClipWay.moving("moving", initial), StudiedMechanism.PRIV_UNIT, 4);

    double share =
        IntStream.range(0, census.problem().size())
                .filter(i -> census.problem().featureNorm(i) <= outcome.clip())
                .count()
            / (double) census.problem().size();
    assertThat(share).isBetween(0.02, 0.6);
    assertThat(outcome.excess()).isLessThan(0.05);
  }

  /**
   * Up to round 1,600 all rounds announce half of the slope bound, so the sizes are half as large.
   */
  @Test
  void theSlopeRuleHalvesTheClipWhileNoiseDominates() {
    Release noisy = StudiedMechanism.L2_LAPLACE.release(census.problem().dimension(), 1, 1);
    double plain = play(ClipWay.moving("moving", 1), noisy, 16, 1_500).clip();
    double halved = play(ClipWay.withSlopeRule("slope rule", 1), noisy, 16, 1_500).clip();

    assertThat(halved / plain).isBetween(0.35, 0.7);
  }

  private CensusParticipants men() {
    Problem problem = census.problem();
    double least = problem.score(problem.optimum()).loss();
    return new CensusParticipants(problem, least, problem.size(), new SeededRandom(1));
  }

  private Outcome onCensus(ClipWay way, StudiedMechanism mechanism, double epsilon) {
    Release release = mechanism.release(census.problem().dimension(), 1, epsilon);
    return play(way, release, epsilon, census.problem().size());
  }

  private Outcome play(ClipWay way, Release release, double epsilon, int people) {
    int d = census.problem().dimension();
    ClipRun run = new ClipRun(d, way, true, release, 1, epsilon, new SeededRandom(2));
    return new ClipTrial(men(), List.of(run)).play(people).get(0);
  }
}
