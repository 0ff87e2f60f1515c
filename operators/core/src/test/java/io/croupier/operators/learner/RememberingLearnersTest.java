package io.croupier.operators.learner;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What holds for every learner also holds for those that forget. */
class RememberingLearnersTest {
  private static final Memory MEMORY = new Memory(2_000);

  /** But for the rounding of a mean of saturated weights. */
  private static final double LARGEST = MagnitudeLearner.LIMIT * (1 + 1e-12);

  private static ProductLearner product(InitialWeights initialWeights) {
    return TestLearners.blackBox(2, MEMORY, initialWeights);
  }

  private static CoordinateWise coordinates(InitialWeights initialWeights) {
    return TestLearners.coordinates(2, MEMORY, initialWeights);
  }

  /** What all of them have in common. */
  private abstract static class Contract<S extends LearnerState> extends LearnerContract<S> {
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
  class Product extends Contract<ProductLearner.State> {
    @Override
    Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
      return product(initialWeights);
    }
  }

  @Nested
  class Coordinates extends Contract<CoordinateWise.State> {
    @Override
    Learner<CoordinateWise.State> learner(InitialWeights initialWeights, double gradientBound) {
      return coordinates(initialWeights);
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
  class Sum extends Contract<Combined.State> {
    @Override
    Learner<Combined.State> learner(InitialWeights initialWeights, double gradientBound) {
      return new Combined(
          product(initialWeights), coordinates(InitialWeights.zero(initialWeights.dimension())));
    }

    @Override
    int keptVectors() {
      return 5;
    }

    @Override
    double largestWeight() {
      return 2 * LARGEST;
    }
  }
}
