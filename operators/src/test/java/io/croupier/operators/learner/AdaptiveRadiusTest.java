package io.croupier.operators.learner;

class AdaptiveRadiusTest extends LearnerContract<AdaptiveRadius.State> {
  @Override
  Learner<AdaptiveRadius.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new AdaptiveRadius(gradientBound, initialWeights);
  }
}
