package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Census;
import io.croupier.studies.RoundsTrial.Arrival;
import io.croupier.studies.RoundsTrial.ReportNoise;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The census, on which the initial weights have a loss 0.175 above the best. Seeds are fixed. */
class RoundsTrialTest {
  private static final ReportNoise NOISE = new ReportNoise(StudiedMechanism.L2_LAPLACE, 8);

  private final LearningProblem census =
      LearningProblem.census("census", Census.load(), Census.load().problem().size());

  static List<String> learners() {
    return RoundsStudy.BETTORS;
  }

  @ParameterizedTest
  @MethodSource("learners")
  void moreReportsImproveAModel(String learner) {
    double few = excess(learner, Arrival.TIMELY, 100, 30);
    double many = excess(learner, Arrival.TIMELY, 3000, 30);

    assertThat(few).isLessThan(census.zero());
    assertThat(many).isLessThan(few / 2);
  }

  /** Update docs/plan/learners.md if this test fails. */
  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("learners")
  void aModelEndsBelowDoingNothingHoweverReportsArrive(String learner) {
    for (Arrival arrival : Arrival.values()) {
      assertThat(excess(learner, arrival, 300, 60)).as(arrival.label).isLessThan(census.zero());
    }
  }

  /** Three seeds. */
  private double excess(String learner, Arrival arrival, int rate, int publications) {
    double sum = 0;
    for (int seed = 1; seed <= 3; seed++) {
      SeededRandom random = new SeededRandom(seed);
      RoundsTrial trial =
          new RoundsTrial(
              census.participants().apply(random),
              List.of(RoundsStudy.spec(census, NOISE, learner)),
              NOISE,
              arrival,
              random);
      for (int i = 0; i < publications; i++) {
        trial.round(rate);
      }
      sum += trial.excess(0);
    }
    return sum / 3;
  }
}
