package io.croupier.operators.learner;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What holds for every learner also holds for those that forget. */
class RememberingLearnersTest {
  private static final Memory MEMORY = new Memory(2_000);
  private static final Averaging AVERAGING = new Averaging(2);

  /** But for the rounding of a mean of saturated weights. */
  private static final double LARGEST = MagnitudeLearner.LIMIT * (1 + 1e-12);

  private static ProductLearner product(InitialWeights initialWeights, Memory memory) {
    return new ProductLearner(
        new MagnitudeLearner(
            new Prior.Improper(), new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, 1),
        BallConstraint.NONE,
        AVERAGING,
        memory,
        initialWeights);
  }

  private static CoordinateWise coordinates(InitialWeights initialWeights, Memory memory) {
    return new CoordinateWise(
        new Prior.Improper(), 1, BallConstraint.NONE, AVERAGING, memory, initialWeights);
  }

  @Nested
  class Product extends LearnerContract<ProductLearner.State> {
    @Override
    Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
      return product(initialWeights, MEMORY);
    }

    @Override
    int saturatingRounds() {
      return 10_000;
    }

    @Override
    double largestWeight() {
      return LARGEST;
    }
  }

  @Nested
  class Coordinates extends LearnerContract<CoordinateWise.State> {
    @Override
    Learner<CoordinateWise.State> learner(InitialWeights initialWeights, double gradientBound) {
      return coordinates(initialWeights, MEMORY);
    }

    @Override
    int saturatingRounds() {
      return 10_000;
    }

    @Override
    double largestWeight() {
      return LARGEST;
    }

    @Override
    boolean movesByUnknownReports() {
      return false;
    }

    @Override
    int keptVectors() {
      return 5;
    }
  }

  @Nested
  @Tag("thorough")
  class Sum extends LearnerContract<Combined.State> {
    @Override
    Learner<Combined.State> learner(InitialWeights initialWeights, double gradientBound) {
      return new Combined(
          product(initialWeights, MEMORY),
          coordinates(InitialWeights.zero(initialWeights.dimension()), MEMORY));
    }

    @Override
    int keptVectors() {
      return 5;
    }

    @Override
    int saturatingRounds() {
      return 10_000;
    }

    @Override
    double largestWeight() {
      return 2 * LARGEST;
    }
  }
}
