package io.croupier.operators.learner;

class BancoTest extends LearnerContract<ProductLearner.State> {
  @Override
  Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
    return TestLearners.product(
        new MagnitudeLearner(
            new Prior.Uniform(), new BettingRule.DeclaredNoise(), 0.5 / gradientBound, 1),
        0,
        initialWeights);
  }
}
