package io.croupier.cli.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.Estimate;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class MeanLossTest {

  private static Estimate above(double threshold, double fraction, double standardError) {
    Estimate.Builder estimate =
        Estimate.newBuilder().setFraction(fraction).setStandardError(standardError);
    estimate.getQuestionBuilder().getLossAboveBuilder().setThreshold(threshold);
    return estimate.build();
  }

  private static List<Estimate> of(DoubleUnaryOperator fraction, double... thresholds) {
    List<Estimate> estimates = new ArrayList<>();
    for (double threshold : thresholds) {
      estimates.add(above(threshold, fraction.applyAsDouble(threshold), 0.01));
    }
    return estimates;
  }

  private static MeanLoss mean(double bound, List<Estimate> estimates) {
    return MeanLoss.of(estimates, OptionalDouble.of(bound)).orElseThrow();
  }

  /** Losses that are uniform from 0 to 2 have a linear fraction, which trapezoids integrate. */
  @Test
  void isExactWhereTheFractionIsLinear() {
    MeanLoss mean = mean(2, of(t -> 1 - t / 2, 0.1, 0.7, 1.9));
    assertThat(mean.mean()).isCloseTo(1, within(1e-15));
    assertThat(mean.bound()).isEqualTo(2);
    assertThat(mean.resolution()).isCloseTo(0.6, within(1e-15));
    // Half of the distances between the neighbours: 0.35, 0.9 and 0.65.
    assertThat(mean.standardError())
        .isCloseTo(0.01 * Math.sqrt(0.35 * 0.35 + 0.9 * 0.9 + 0.65 * 0.65), within(1e-15));
  }

  /** Of finite thresholds, the sum, distances and squares may be infinite. */
  @Test
  void theLargestThresholdsHaveAMeanOrNone() {
    List<Estimate> large = of(t -> 0, 0.9e308, 1e308, 1.1e308);
    assertThat(MeanLoss.of(large, OptionalDouble.empty())).isEmpty();
    MeanLoss mean = mean(1.7e308, of(t -> 0, 1e200, 1e308, 1.1e308));
    assertThat(mean.mean()).isEqualTo(0.5e200);
    assertThat(mean.standardError()).isFinite();
  }

  /** Whatever the losses of 50 people are, the mean is within the resolution. */
  @Test
  void isWithinTheResolutionOfTheTrueMean() {
    Random random = new Random(1);
    for (int trial = 0; trial < 500; trial++) {
      double bound = 0.5 + 5 * random.nextDouble();
      double power = 0.1 + 4 * random.nextDouble();
      double[] losses = random.doubles(50).map(u -> 1.5 * bound * Math.pow(u, power)).toArray();
      double truth = 0;
      for (double loss : losses) {
        truth += Math.min(loss, bound) / losses.length;
      }
      double[] thresholds =
          random.doubles(2 + random.nextInt(9)).map(u -> bound * (0.01 + 0.98 * u)).toArray();
      MeanLoss mean =
          mean(
              bound,
              of(
                  t -> {
                    double count = 0;
                    for (double loss : losses) {
                      count += loss > t ? 1 : 0;
                    }
                    return count / losses.length;
                  },
                  thresholds));
      assertThat(Math.abs(mean.mean() - truth))
          .as("trial %s", trial)
          .isLessThanOrEqualTo(mean.resolution() + 1e-12);
    }
  }

  @Test
  void derivesTheBoundFromSymmetricThresholds() {
    DoubleUnaryOperator fraction = t -> 1 - t / 2;
    for (double[] thresholds : new double[][] {{0.25, 0.75, 1.25, 1.75}, {1.5, 0.5, 1}}) {
      MeanLoss mean = MeanLoss.of(of(fraction, thresholds), OptionalDouble.empty()).orElseThrow();
      assertThat(mean.bound()).isEqualTo(2);
      assertThat(mean.mean()).isCloseTo(1, within(1e-15));
    }
  }

  @Test
  void needsTwoThresholdsAndAnEstimateOfEach() {
    DoubleUnaryOperator fraction = t -> 0.5;
    assertThat(MeanLoss.of(of(fraction, 1), OptionalDouble.empty())).isEmpty();
    assertThat(MeanLoss.of(of(fraction, -1, 0, 1), OptionalDouble.empty())).isEmpty();
    assertThat(MeanLoss.of(of(fraction, 1, 3), OptionalDouble.of(3))).isEmpty();
    List<Estimate> waiting = of(fraction, 1, 2);
    waiting.add(above(3, 0, 0).toBuilder().clearFraction().build());
    assertThat(MeanLoss.of(waiting, OptionalDouble.empty())).isEmpty();
    assertThat(MeanLoss.of(waiting, OptionalDouble.of(2.5))).isPresent();
    List<Estimate> others = of(fraction, 1, 2);
    Estimate.Builder accuracy = Estimate.newBuilder().setFraction(0.9).setStandardError(9);
    accuracy.getQuestionBuilder().getAccuracyBuilder();
    others.add(accuracy.build());
    assertThat(MeanLoss.of(others, OptionalDouble.empty()))
        .isEqualTo(MeanLoss.of(of(fraction, 1, 2), OptionalDouble.empty()))
        .isPresent();
  }
}
