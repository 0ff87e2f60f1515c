package io.croupier.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static Plan plan(int features, double epsilon, double best) {
    return Plan.of(features, epsilon, 1, 0.693, best);
  }

  @Test
  void morePeopleLessPrivacyAndFewerFeaturesTeachMore() {
    double loss = plan(8, 2, 0.518).loss(28_155).likely();
    assertThat(plan(8, 2, 0.518).loss(60_000).likely()).isLessThan(loss);
    assertThat(plan(8, 3, 0.518).loss(28_155).likely()).isLessThan(loss);
    assertThat(plan(7, 2, 0.518).loss(28_155).likely()).isLessThan(loss);
    assertThat(plan(8, 2, 0.6).missed(28_155).likely())
        .isGreaterThan(plan(8, 2, 0.518).missed(28_155).likely());
  }

  /** v = 11.878 at d = 8 and epsilon 2, as lab/studies/results/plan.csv has it. */
  @Test
  void followsTheLaw() {
    Plan plan = plan(8, 2, 0.518);
    double signal = 28_155 * Math.sqrt(0.175 / 8) / 12.878;
    Band missed = LearningLaw.OF_COMBINED.missed(signal);
    assertThat(plan.missed(28_155).likely()).isCloseTo(missed.likely(), within(1e-5));
    assertThat(plan.loss(28_155).high()).isCloseTo(0.518 + 0.175 * missed.high(), within(1e-5));
    assertThat(plan.people(plan.loss(28_155).likely()).likely()).isCloseTo(28_155, within(1e-6));
  }

  @Test
  void tooFewPeople() {
    assertThat(Plan.tooFew(60, 8, plan(8, 2, 0.518).mechanism(), 2))
        .contains("60 people at epsilon 2 can't teach 8 features; some 15,000 could");
    assertThat(Plan.tooFew(28_155, 8, plan(8, 2, 0.518).mechanism(), 2)).isEmpty();
    // Additive noise of the same epsilon is stronger.
    assertThat(Plan.tooFew(1_000, 8, plan(8, 2, 0.518).mechanism(), 2)).isEmpty();
    assertThat(Plan.tooFew(1_000, 8, new L2LaplaceMechanism(2, 8), 2))
        .contains("1,000 people at epsilon 2 can't teach 8 features; some 85,000 could");
    assertThat(Plan.tooFew(60, 8, new GaussianMechanism(0.1), 0.4)).isPresent();
  }

  @Test
  void peopleAreRoundedUpToTwoDigits() {
    assertThat(Plan.count(0.2)).isEqualTo("1");
    assertThat(Plan.count(99.5)).isEqualTo("100");
    assertThat(Plan.count(1_201)).isEqualTo("1,300");
  }
}
