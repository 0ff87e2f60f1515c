package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnerRunTest {
  private static final int DIMENSION = 5;
  private static final int PEOPLE = 20_000;

  private final Population population =
      new PredictionProblem(
          new Design(FeatureLaw.SPHERE, DIMENSION, 0),
          Loss.ABSOLUTE,
          PredictionProblem.dense(DIMENSION, 1));

  @ParameterizedTest
  @ValueSource(strings = {CandidateLearners.IMPROPER, CandidateLearners.ADA_GRAD})
  void measuringARiskDoesNotChangeTheRun(String learner) {
    assertThat(risk(learner, List.of(1_000, 3_000))).isEqualTo(risk(learner, List.of()));
  }

  private Trial.Risk risk(String label, List<Integer> checkpoints) {
    CandidateLearners learners = new CandidateLearners(DIMENSION);
    LearnerRun run =
        new LearnerRun(
            switch (label) {
              case CandidateLearners.IMPROPER -> learners.recommended();
              default -> learners.adaGradNorm();
            });
    SeededRandom random = new SeededRandom(1);
    Person person = new Person(DIMENSION);
    double[] noise = new double[DIMENSION];
    for (int t = 1; t <= PEOPLE; t++) {
      population.draw(random, person);
      Noise.l2Laplace().draw(1, random, noise);
      run.report(population, person, noise);
      run.step(1);
      if (checkpoints.contains(t)) {
        run.risk(population);
      }
    }
    return run.risk(population);
  }
}
