package io.croupier.operators.learner;

class BancoTest extends LearnerContract<ProductLearner.State> {
  @Override
  Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new ProductLearner(
        new MagnitudeLearner(
            new Prior.Uniform(), new BettingRule.DeclaredNoise(), 0.5 / gradientBound, 1),
        BallConstraint.NONE,
        new Averaging(0),
        initialWeights);
  }
}
