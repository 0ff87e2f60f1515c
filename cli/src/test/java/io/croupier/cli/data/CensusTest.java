package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CensusTest {

  private final DataSet census = Census.load();
  private final Problem problem = census.problem();

  @Test
  void has28155PeopleWithEightFeatures() {
    assertThat(problem.size()).isEqualTo(28_155);
    assertThat(problem.dimension()).isEqualTo(8);
    assertThat(census.features()).hasSize(8);
    assertThat(census.description()).contains("28,155", "$522.32");
  }

  @Test
  void noGradientIsLongerThanOne() {
    assertThat(problem.gradientBound()).isCloseTo(1, within(1e-12));
  }

  @Test
  void zeroWeightsAreRightForHalfOfThePeople() {
    Score score = problem.score(new double[8]);

    assertThat(score.loss()).isCloseTo(Math.log(2), within(1e-12));
    assertThat(score.fit()).isCloseTo(0.5, within(0.01));
  }

  @Test
  void theOptimumIsKnown() {
    double[] optimum = problem.optimum();

    assertThat(problem.score(optimum).loss()).isCloseTo(0.518, within(5e-4));
    assertThat(problem.score(optimum).fit()).isCloseTo(0.740, within(5e-4));
    assertThat(Math.sqrt(Arrays.stream(optimum).map(w -> w * w).sum()))
        .isCloseTo(19.1, within(0.05));
  }
}
