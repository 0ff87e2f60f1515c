package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SimulationTest {

  private static final double[] TRUTH = {1, 1, 1, 1, 1, 1};

  @Test
  void theOptimumIsNearTheTruth() {
    // Seeded: the standard error of a coordinate is about 0.02.
    assertThat(Simulation.linear(20_000, 1).problem().optimum())
        .containsExactly(TRUTH, within(0.1));
    assertThat(Simulation.logistic(20_000, 1).problem().optimum())
        .containsExactly(TRUTH, within(0.15));
  }

  @Test
  void gradientsAreBoundedAsThePaperSays() {
    assertThat(Simulation.logistic(5_000, 2).problem().gradientBound())
        .isCloseTo(Math.sqrt(2), within(1e-3));
    assertThat(Simulation.linear(5_000, 2).clip()).isCloseTo(1.90212, within(1e-5));
  }

  @Test
  void aSeedGivesTheSamePeople() {
    assertThat(Simulation.linear(50, 3).problem().score(TRUTH))
        .isEqualTo(Simulation.linear(50, 3).problem().score(TRUTH))
        .isNotEqualTo(Simulation.linear(50, 4).problem().score(TRUTH));
  }

  @Test
  void theLinearDesignExplainsFiveNinthsOfTheVariance() {
    Problem problem = Simulation.linear(20_000, 5).problem();

    assertThat(problem.fitName()).isEqualTo("R²");
    assertThat(problem.score(TRUTH).fit()).isCloseTo(5.0 / 9, within(0.02));
  }
}
