package io.croupier.operators.learner;

class BlackBoxTest extends LearnerContract<ProductLearner.State> {
  @Override
  Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new ProductLearner(
        new MagnitudeLearner(
            new Potential(new Prior.Improper(), 1 / (5 * gradientBound)),
            new CoinVariance.SquaredCoin(),
            1),
        new Averaging(0),
        initialWeights);
  }
}
