package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.SquaredLoss;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowGradientsTest {
  /** Gradients w - 2 and w - 4, their mean w - 3. */
  private static final Problem PROBLEM =
      new Problem(new double[] {1, 1}, new double[] {2, 4}, new double[] {1, 1}, new SquaredLoss());

  private static List<String> all(Gradients gradients) {
    List<String> answers = new ArrayList<>();
    for (EvaluatedGradient answer = gradients.next(); answer != null; answer = gradients.next()) {
      answers.add(answer.terms().round() + ": " + answer.gradient()[0]);
    }
    return answers;
  }

  @Test
  void everyRoundIsAnsweredOnceByTheMean() {
    assertThat(all(new RowGradients(PROBLEM, new RoundPublisher(90, 1), false, 3)))
        .containsExactly("0: -3.0", "10: 7.0", "20: 17.0");
  }

  @Test
  void everyRoundIsAnsweredOnceByEachRow() {
    assertThat(all(new RowGradients(PROBLEM, new RoundPublisher(90, 1), true, 2)))
        .containsExactly("0: -2.0", "0: -4.0", "10: 8.0", "10: 6.0");
  }

  @Test
  void everyRowUsesTheNewestRound() {
    RoundPublisher rounds = new RoundPublisher(90, 1);
    RowGradients gradients = new RowGradients(PROBLEM, rounds, true, 1);
    gradients.next();
    rounds.publish();

    EvaluatedGradient second = gradients.next();

    assertThat(second.terms().round()).isEqualTo(10);
    assertThat(second.gradient()).containsExactly(6);
    assertThat(gradients.next()).isNull();
  }

  @Test
  void aRetiredModelIsAnError() {
    RowGradients gradients = new RowGradients(PROBLEM, new RoundPublisher(10, 1), false, 3);

    assertThat(gradients.next().terms().round()).isZero();
    assertThat(gradients.next().terms().round()).isEqualTo(10);
    assertThat(gradients.place()).isEqualTo("the answer to round 10");
    assertThat(gradients.left()).isEqualTo("1 more");
    assertThatThrownBy(gradients::next).isInstanceOf(InputException.class).hasMessage("retired");
  }
}
