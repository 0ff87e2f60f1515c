package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import io.croupier.cli.data.Simulation;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnTest {
  private static final double NOTHING = 0.7;
  private final DataSet data = Simulation.logistic(200, 1);
  private final Turn turn = Turn.halfway(data, 200);

  @Test
  void theSecondHalfHasTheOtherLabels() {
    double[] gradient = new double[data.problem().dimension()];
    double[] turned = gradient.clone();
    double[] weights = new double[gradient.length];
    turn.problem(99).gradient(7, weights, gradient);
    turn.problem(100).gradient(7, weights, turned);
    assertThat(turned).isNotEqualTo(gradient);
    for (int j = 0; j < turned.length; j++) {
      assertThat(turned[j]).isEqualTo(-gradient[j]);
    }
    double[] optimum = data.problem().optimum();
    double[] opposite = turn.after().problem().optimum();
    for (int j = 0; j < optimum.length; j++) {
      assertThat(opposite[j]).isCloseTo(-optimum[j], within(1e-6));
    }
    assertThat(Turn.never(data).problem(1_000_000)).isSameAs(data.problem());
    assertThat(Turn.never(data).notes(List.of(), NOTHING)).isEmpty();
  }

  @Test
  void aLearnerHasRecoveredWhenItsLossStaysBelowTheMiddle() {
    assertThat(note(0.69, 0.5, 0.9, 0.65, 0.55, 0.62, 0.6, 0.5))
        .isEqualTo("banco: loss 0.500 before the turn, recovered after 100 reports.");
    assertThat(note(0.69, 0.5, 0.9, 0.59, 0.61, 0.8, 0.7, 0.61))
        .isEqualTo("banco: loss 0.500 before the turn, not recovered.");
    assertThat(note(0.69, 0.71, 0.9, 0.59, 0.61, 0.8, 0.7, 0.61))
        .isEqualTo("banco: loss 0.710 before the turn, nothing to recover.");
  }

  /** Losses after 0, 50, 100 (the turn), 120, .. reports. */
  private String note(double... losses) {
    long[] people = {0, 50, 100, 120, 140, 160, 200, 260};
    List<CurvePoint> curve =
        IntStream.range(0, losses.length)
            .mapToObj(i -> new CurvePoint(people[i], losses[i], 0))
            .toList();
    LearnerResult result =
        new LearnerResult(
            ComparedLearner.parse(List.of("banco")).get(0),
            new Score(0, 0),
            new Score(0, 0),
            curve,
            null,
            1,
            false,
            List.of());
    List<String> notes = turn.notes(List.of(result), NOTHING);
    assertThat(notes).hasSize(2);
    return notes.get(1).replace("BANCO", "banco");
  }

  @Test
  void aLearnerWithAMemoryHasItInItsSpec() {
    ComparedLearner plain = ComparedLearner.parse(List.of("coordinate-wise")).get(0);
    ComparedLearner remembering = plain.withMemory(2_000);
    DemoParameters parameters =
        new DemoParameters(NoiseMechanism.L2_LAPLACE, 4, 0, 0.25, 1, 20_000, 1);
    assertThat(remembering.label()).isEqualTo("coordinate-wise, memory 2,000");
    assertThat(remembering.byHand(parameters)).isEqualTo("clip 0.25, memory");
    ModelSpec spec = remembering.spec(8, null, parameters);
    assertThat(spec.getModelId()).isEqualTo("coordinate-wise-memory");
    assertThat(spec.getMemory().getHalfLife()).isEqualTo(2_000);
    assertThat(plain.spec(8, null, parameters).hasMemory()).isFalse();
    assertThat(ComparedLearner.parse(List.of("ldp-sgd:1")).get(0).mayForget()).isFalse();
  }
}
