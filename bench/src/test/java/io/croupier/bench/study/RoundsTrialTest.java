package io.croupier.bench.study;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.bench.study.RoundsStudy.Setting;
import io.croupier.bench.study.RoundsTrial.Way;
import io.croupier.schemas.ModelSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The census, of which doing nothing loses 0.175 more than the best weights. Seeds are fixed. */
class RoundsTrialTest {
  private static final double NONE = Double.POSITIVE_INFINITY;
  private static final int MANY = 30_000;

  private final RoundsStudy study = new RoundsStudy(Effort.quick(1));
  private final double nothing = study.zero(Setting.CENSUS);

  @ParameterizedTest
  @ValueSource(strings = {Field.ADAPTIVE_RADIUS, Field.IMPROPER, Field.COORDINATE_WISE})
  void manyReportsAPublicationTeachAModelThatTheyUsedToRuin(String learner) {
    assertThat(excess(learner, NONE, Way.RULE, 10, MANY, 1)).isLessThan(0.75 * nothing);
    assertThat(excess(learner, NONE, Way.GROWING, 10, MANY, 1)).isGreaterThan(nothing);
    assertThat(excess(learner, NONE, Way.SINGLE, 10, MANY, 1)).isGreaterThan(1e6 * nothing);
  }

  @ParameterizedTest
  @ValueSource(strings = {Field.ADAPTIVE_RADIUS, Field.IMPROPER, Field.COORDINATE_WISE})
  void tenTimesTheReportsAPublicationCostLittle(String learner) {
    double few = 0;
    double many = 0;
    for (int seed = 1; seed <= 6; seed++) {
      few += excess(learner, NONE, Way.RULE, 10, MANY / 10, seed);
      many += excess(learner, NONE, Way.RULE, 10, MANY, seed);
    }
    assertThat(many).isLessThan(2 * few);
  }

  /** What docs/studies/rounds.md says of delay, so that it is mended when this no longer holds. */
  @Test
  void aConstantDelayOfThreePublicationsHurtsALearnerThatBets() {
    double prompt = excess(Field.ADAPTIVE_RADIUS, 8, Way.RULE, 30, 1000, 1);
    double late = excess(Field.ADAPTIVE_RADIUS, 8, Way.LATE, 30, 1000, 1);

    assertThat(prompt).isLessThan(0.5 * nothing);
    assertThat(late).isGreaterThan(nothing);
  }

  private double excess(
      String learner, double epsilon, Way way, int publications, int reports, long seed) {
    ModelSpec spec = RoundsStudy.spec(Setting.CENSUS, epsilon, learner);
    Dice dice = new Dice(seed);
    RoundsTrial trial =
        new RoundsTrial(study.crowd(Setting.CENSUS, dice), spec, epsilon, way, dice);
    for (int i = 0; i < publications; i++) {
      trial.interval(reports);
    }
    return trial.excess();
  }
}
