package io.croupier.operators.learner;

/** Learners without a radius. Their initial wealth is 1, and their prior the improper one. */
final class TestLearners {
  private TestLearners() {}

  /** A bettor whose variance is that of its coins. */
  static MagnitudeLearner bettor(Prior prior) {
    return bettor(prior, 1);
  }

  static MagnitudeLearner bettor(Prior prior, double wealth) {
    return new MagnitudeLearner(
        prior, new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, wealth);
  }

  /** A bettor's magnitude times a direction. */
  static ProductLearner product(
      MagnitudeLearner magnitude, double degree, InitialWeights initialWeights) {
    return new ProductLearner(
        magnitude, BallConstraint.NONE, new Averaging(degree), initialWeights);
  }

  static ProductLearner blackBox(double degree, Memory memory, InitialWeights initialWeights) {
    return new ProductLearner(
        bettor(new Prior.Improper()),
        BallConstraint.NONE,
        new Averaging(degree),
        memory,
        initialWeights);
  }

  static CoordinateWise coordinates(double degree, Memory memory, InitialWeights initialWeights) {
    return new CoordinateWise(
        new Prior.Improper(),
        1,
        BallConstraint.NONE,
        new Averaging(degree),
        memory,
        initialWeights);
  }

  /** The prior of a name in golden values and specs; {@code b} is that of the conjugate one. */
  static Prior prior(String name, double b) {
    return switch (name) {
      case "improper" -> new Prior.Improper();
      case "conjugate" -> new Prior.Conjugate(b);
      case "uniform" -> new Prior.Uniform();
      case "cv" -> new Prior.Cv();
      default -> throw new IllegalArgumentException(name);
    };
  }
}
