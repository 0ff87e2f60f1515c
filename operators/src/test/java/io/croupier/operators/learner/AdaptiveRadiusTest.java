package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AdaptiveRadiusTest extends LearnerContract<AdaptiveRadius.State> {
  @Override
  Learner<AdaptiveRadius.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new AdaptiveRadius(gradientBound, initialWeights);
  }

  /** All rounds have the same gradient, so that the evidence grows as fast as it can. */
  @Test
  void theRadiusGrowsAtMostTwofoldFromOnePublicationToTheNext() {
    AdaptiveRadius learner = new AdaptiveRadius(1, InitialWeights.zero(2));
    AdaptiveRadius.State state = learner.initial();
    Iterate iterate = new Iterate(2);
    double[] radii = new double[5];
    for (int p = 0; p < radii.length; p++) {
      learner.publish(state, iterate);
      radii[p] = iterate.diagnostics.get("radius");
      double[] direction = new double[2];
      learner.direction(state, direction);
      for (int t = 0; t < 2000; t++) {
        Round round = new Round(2);
        round.gradientBound = 1;
        round.subgradient[0] = -1;
        round.squaredNorm = 1;
        round.coin = -direction[0];
        learner.step(state, round);
      }
    }
    assertThat(radii[0]).isEqualTo(0.01);
    for (int p = 2; p < radii.length; p++) {
      assertThat(radii[p]).isCloseTo(2 * radii[p - 1], within(1e-12 * radii[p]));
    }
    assertThat(radii[1]).isBetween(radii[0], 2 * radii[0]);
  }

  /** The mean of m reports has 1/m of the variance, so it has to count more. */
  @Test
  void aRoundOfManyReportsMovesTheDirectionAsFarAsOneOfFewWithTheSameSignalToNoiseRatio() {
    AdaptiveRadius learner = new AdaptiveRadius(1, InitialWeights.zero(1));
    double[] moved = new double[2];
    for (int many = 0; many < 2; many++) {
      AdaptiveRadius.State state = learner.initial();
      int reports = many == 0 ? 1 : 16;
      double scale = many == 0 ? 1 : 0.25;
      step(learner, state, 1, 1);
      step(learner, state, 1, -1);
      step(learner, state, reports, scale);
      step(learner, state, reports, -scale);
      double[] before = new double[1];
      learner.direction(state, before);
      step(learner, state, reports, scale);
      double[] after = new double[1];
      learner.direction(state, after);
      moved[many] = after[0] - before[0];
    }
    assertThat(moved[0]).isNegative();
    assertThat(moved[1]).isBetween(1.5 * moved[0], moved[0] / 1.5);
  }

  private static void step(
      AdaptiveRadius learner, AdaptiveRadius.State state, int reports, double gradient) {
    Round round = new Round(1);
    round.gradientBound = 1;
    round.subgradient[0] = gradient;
    round.squaredNorm = gradient * gradient;
    round.reports = reports;
    learner.step(state, round);
  }
}
