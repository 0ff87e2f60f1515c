package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

  /** The step size carries the unit: a gradient twice as large moves twice as far. */
  @Override
  double unitOfWeights(double scale) {
    return scale;
  }

  @Test
  void doesNotBet() {
    Learner<LdpSgd.State> learner = learner(InitialWeights.zero(2), 1);
    assertThatThrownBy(() -> learner.direction(learner.initial(), new double[2]))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
