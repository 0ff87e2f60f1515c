package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LdpSgdTest extends LearnerContract<LdpSgd.State> {
  @Override
  Learner<LdpSgd.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new LdpSgd(0.1, 0.5, Double.POSITIVE_INFINITY, new Averaging(0), initialWeights);
  }

  @Override
  double saturatingGradient() {
    return 1e150;
  }

  @Override
  boolean recordsPublications() {
    return false;
  }

  /** Two parts count by their weights, whatever they name. */
  @Test
  void aStepIsOnTheWeightedMean() {
    var run = new TestRun<>(learner(InitialWeights.zero(2), 1));
    Round round = new Round();
    TestRounds.add(round, 0, 3, 1, new double[] {1, 0}, 0);
    TestRounds.add(round, 5, 1, 1, new double[] {0, 4}, 0);
    run.step(round, 0);
    assertThat(run.publish().weights).containsExactly(new double[] {-0.075, -0.1}, within(1e-16));
  }
}
