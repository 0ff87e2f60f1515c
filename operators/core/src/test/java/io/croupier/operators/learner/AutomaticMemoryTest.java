package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.Specs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AutomaticMemoryTest {
  private static final int D = 3;
  private static final int REPORTS = 100;

  private static ProductLearner product(InitialWeights initialWeights, Memory memory) {
    return TestLearners.blackBox(2, memory, initialWeights);
  }

  private static CoordinateWise coordinates(InitialWeights initialWeights, Memory memory) {
    return TestLearners.coordinates(2, memory, initialWeights);
  }

  /** What holds for every learner. */
  private abstract static class Contract extends LearnerContract<AutomaticMemory.State> {
    @Override
    int copies() {
      return 4;
    }

    @Override
    double largestWeight() {
      return 2 * MagnitudeLearner.LIMIT * (1 + 1e-12);
    }

    @Override
    int saturatingRounds() {
      return 10_000;
    }
  }

  @Nested
  @Tag("ci")
  class OfProducts extends Contract {
    @Override
    Learner<AutomaticMemory.State> learner(InitialWeights initialWeights, double gradientBound) {
      return new AutomaticMemory(memory -> product(initialWeights, memory));
    }
  }

  @Nested
  @Tag("thorough")
  class OfCoordinates extends Contract {
    @Override
    Learner<AutomaticMemory.State> learner(InitialWeights initialWeights, double gradientBound) {
      return new AutomaticMemory(memory -> coordinates(initialWeights, memory));
    }

    @Override
    boolean movesByUnknownReports() {
      return false;
    }

    @Override
    int keptVectors() {
      return 4 * 5;
    }
  }

  @Nested
  @Tag("thorough")
  class OfSums extends Contract {
    @Override
    Learner<AutomaticMemory.State> learner(InitialWeights initialWeights, double gradientBound) {
      int d = initialWeights.dimension();
      return new AutomaticMemory(
          memory ->
              new Combined(
                  product(initialWeights, memory), coordinates(InitialWeights.zero(d), memory)));
    }

    @Override
    int keptVectors() {
      return 4 * 5;
    }
  }

  private static TestRun<?> run(String learner) {
    return new TestRun<>(Learners.of(Specs.of(D, 1, learner)));
  }

  private static List<TestRun<?>> copies(String learner) {
    List<TestRun<?>> copies = new ArrayList<>();
    for (int halfLife : new int[] {2048, 8192, 32768}) {
      copies.add(run(learner + "memory {half_life: %d}".formatted(halfLife)));
    }
    copies.add(run(learner));
    return copies;
  }

  private static double[] mixed(double[] shares, List<double[]> points) {
    double[] mixed = new double[D];
    for (int k = 0; k < shares.length; k++) {
      Vectors.addScaled(shares[k], points.get(k), mixed);
    }
    return mixed;
  }

  /**
   * Four learners of the spec with these memories, mixed by shares that are computed from what they
   * published; reports up to two publications late, a turn, rounds of several sizes. The sum of
   * losses is at most 2 Delta above that of any copy.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {} ",
        "black_box {radius: 0.4} ",
        "coordinate_wise {} ",
        "coordinate_wise {radius: 0.4} initial_weights: [1, -2, 0.5] ",
        "combined {} ",
        "banco {strongest_noise {sub_exponential {variance: 1 beta_max: inf}}} ",
      })
  void isTheMixtureOfTheLearnersByWhatTheyLost(String learner) {
    TestRun<?> automatic = run(learner + "memory {automatic {}}");
    List<TestRun<?>> copies = copies(learner);
    List<List<double[]>> played = new ArrayList<>();
    DiscountedHedge hedge = new DiscountedHedge(4);
    RoundWeighting weighting = new RoundWeighting();
    List<double[]> shares = new ArrayList<>();
    double[] regrets = new double[4];
    Random random = new Random(41);
    for (int t = 0; t < 150; t++) {
      automatic.publish(t);
      shares.add(hedge.shares().clone());
      List<double[]> weights = new ArrayList<>();
      List<double[]> averages = new ArrayList<>();
      for (TestRun<?> copy : copies) {
        copy.publish(t);
        weights.add(copy.newest.weights.clone());
        averages.add(copy.newest.average);
      }
      played.add(weights);
      assertThat(automatic.newest.weights)
          .containsExactly(mixed(shares.get(t), weights), within(1e-9));
      assertThat(automatic.newest.average)
          .containsExactly(mixed(shares.get(t), averages), within(1e-9));
      Round round = new Round();
      double[] losses = new double[4];
      double loss = 0;
      for (int named = Math.max(0, t - 2); named <= t; named++) {
        double[] mean = LearnerContract.noisyGradient(random, D, t < 75 ? 0.5 : -0.5);
        Round.Part part =
            TestRounds.add(round, named, REPORTS * (1 + random.nextInt(5)), 1, mean, 0.3);
        for (int k = 0; k < 4; k++) {
          double ofCopy = part.dot(played.get(named).get(k));
          losses[k] += ofCopy;
          loss += shares.get(named)[k] * ofCopy;
        }
      }
      double factor = weighting.next(round.weight()) / round.weight();
      double beta = Math.max(Math.pow(2, -1.0 / 8), Math.pow(2, -round.reports / 8192.0));
      double scaled = factor * loss;
      double[] ofCopies = Arrays.stream(losses).map(x -> factor * x).toArray();
      for (int k = 0; k < 4; k++) {
        regrets[k] = beta * (regrets[k] + scaled - ofCopies[k]);
      }
      hedge.observe(ofCopies, scaled, beta);
      automatic.step(round, t - 2);
      for (TestRun<?> copy : copies) {
        copy.step(round, t - 2);
      }
      assertThat(Arrays.stream(regrets).max().orElseThrow())
          .isLessThanOrEqualTo(2 * hedge.gaps() + 1e-9);
    }
    assertThat(hedge.shares()).as("they moved").isNotEqualTo(new double[] {.25, .25, .25, .25});
  }

  /** A run of rounds with gradients of a linear regression around an optimum, which turns once. */
  private static List<Map<String, Double>> diagnostics(int turn) {
    TestRun<?> automatic = run("combined {} memory {automatic {}}");
    Random random = new Random(43);
    double noise = 0.2;
    List<Map<String, Double>> diagnostics = new ArrayList<>();
    int rounds = 600;
    for (int t = 0; t < rounds; t++) {
      Iterate newest = automatic.publish(t);
      diagnostics.add(new HashMap<>(newest.diagnostics));
      double sign = t >= turn ? -1 : 1;
      double[] mean = new double[D];
      for (int j = 0; j < D; j++) {
        double difference = newest.weights[j] - sign * 0.5;
        mean[j] =
            difference / (2 * Math.sqrt(1 + difference * difference))
                + noise * random.nextGaussian() / Math.sqrt(REPORTS);
      }
      automatic.step(t, REPORTS, 1, mean, noise * noise);
      automatic.forget(t);
    }
    return diagnostics;
  }

  @Test
  void statesThatPeopleDriftAfterATurnAlone() {
    List<Map<String, Double>> still = diagnostics(600);
    assertThat(still).extracting(each -> each.get("drifting")).containsOnly(0.0);
    assertThat(still.get(0)).as("all of history").containsEntry("half-life", 0.0);
    assertThat(still.get(599)).as("all of history").containsEntry("half-life", 0.0);
    List<Map<String, Double>> turned = diagnostics(300);
    assertThat(turned.subList(0, 300)).extracting(each -> each.get("drifting")).containsOnly(0.0);
    assertThat(turned.subList(300, 600))
        .extracting(each -> each.get("drifting"))
        .filteredOn(drifting -> drifting == 1)
        .hasSizeGreaterThan(100);
    assertThat(turned.subList(300, 600))
        .extracting(each -> each.get("half-life"))
        .filteredOn(halfLife -> halfLife == 2048)
        .hasSizeGreaterThan(30);
    List<Map<String, Double>> early = diagnostics(60);
    assertThat(early.subList(0, (1 << 13) / REPORTS))
        .as("all of history is little")
        .extracting(each -> each.get("drifting"))
        .containsOnly(0.0);
    assertThat(early).extracting(each -> each.get("drifting")).contains(1.0);
  }

  @Test
  void aFixedMemoryIsADiagnostic() {
    for (String learner : List.of("black_box {}", "coordinate_wise {}", "combined {}")) {
      assertThat(run(learner + " memory {half_life: 70}").publish().diagnostics)
          .containsEntry("half-life", 70.0)
          .doesNotContainKey("drifting");
      assertThat(run(learner).publish().diagnostics).doesNotContainKey("half-life");
    }
  }

  /** Rounds in which nothing is left of a report after one round, in all copies but one. */
  @Test
  void roundsMayHaveManyReports() {
    TestRun<?> automatic = run("combined {} memory {automatic {}}");
    for (int t = 0; t < 60; t++) {
      automatic.publish();
      automatic.step(t, 10_000_000, 1, new double[] {-0.1, 0, 0.05}, 0);
    }
    Iterate newest = automatic.publish();
    assertThat(newest.diagnostics).containsEntry("half-life", 0.0);
    assertThat(newest.weights[0]).isFinite().isPositive();
  }
}
