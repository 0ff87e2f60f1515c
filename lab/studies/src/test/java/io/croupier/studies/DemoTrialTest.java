package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Census;
import io.croupier.cli.data.Problem;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds are fixed. */
class DemoTrialTest {
  private static final int PEOPLE = 6_000;
  private static final int INTERVAL = 60;

  private final Problem census = Census.load().problem();

  private ModelSpec.Builder spec() {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("demo")
            .setDimension(census.dimension())
            .setBlackBox(BlackBox.getDefaultInstance())
            .setAveraging(CandidateLearners.AVERAGING);
    spec.addQuestionsBuilder().setName("accuracy").setAccuracy(Accuracy.getDefaultInstance());
    return spec;
  }

  private DemoTrial play(ModelSpec spec, double unit) {
    DemoTrial trial =
        new DemoTrial(
            census.times(unit),
            spec,
            StudiedMechanism.PRIV_UNIT,
            8,
            new PublicationPace(INTERVAL, INTERVAL, 4),
            new SeededRandom(1));
    trial.play(IntStream.range(0, PEOPLE).map(i -> 7 * i % census.size()).toArray());
    return trial;
  }

  private double excess(DemoTrial trial, double unit) {
    Problem problem = census.times(unit);
    return problem.score(trial.average()).loss() - census.score(census.optimum()).loss();
  }

  private double zero() {
    return census.score(new double[census.dimension()]).loss()
        - census.score(census.optimum()).loss();
  }

  /** Units are powers of 2. */
  @Test
  void aFixedClipDoesTheSameInAllUnits() {
    DemoTrial one = play(spec().setGradientBound(0.25).build(), 1);
    DemoTrial other = play(spec().setGradientBound(16).build(), 64);

    assertThat(excess(one, 1)).isLessThan(zero() / 2).isEqualTo(excess(other, 64));
    assertThat(other.clip()).isEqualTo(64 * one.clip());
  }

  /** 2 % are asked for the accuracy: 120 of 6,000, with a deviation of 11. */
  @Test
  void peopleAreAskedAsInTheDemo() {
    assertThat(play(spec().setGradientBound(0.25).build(), 1).gradients())
        .isBetween(PEOPLE - 180L, PEOPLE - 60L);
    // Six publications scout, each of which 60 people see.
    assertThat(play(spec().setAdaptiveClip(census.adaptiveClip()).build(), 1).gradients())
        .isBetween(PEOPLE - 540L, PEOPLE - 420L);
  }

  /** A fifth of the men has features of norm 0.33 or less. */
  @ParameterizedTest
  @ValueSource(doubles = {100, 1, 0.01})
  void aMovingClipFindsTheUnit(double unit) {
    DemoTrial trial = play(spec().setAdaptiveClip(census.adaptiveClip()).build(), unit);

    assertThat(trial.clip() / unit).isBetween(0.1, 0.6);
    assertThat(excess(trial, unit)).isLessThan(zero() / 2);
  }
}
