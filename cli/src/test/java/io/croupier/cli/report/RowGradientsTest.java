package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.client.Rows;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.loss.SquaredLoss;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RowGradientsTest {
  /** Gradients w - 2 and w - 4, their mean w - 3. */
  private static final Rows ROWS =
      Rows.of(new double[][] {{1}, {1}}, new double[] {2, 4}, new SquaredLoss());

  private static RowGradients gradients(RoundPublisher rounds, boolean eachRow, long count) {
    return gradients(rounds, eachRow, count, key -> false);
  }

  private static RowGradients gradients(
      RoundPublisher rounds, boolean eachRow, long count, Predicate<DataKey> isReported) {
    return new RowGradients(
        ROWS, eachRow, rounds, count, CommandLine.populateCommand(new KeyOptions()), isReported);
  }

  private static List<String> all(Gradients gradients) {
    List<String> answers = new ArrayList<>();
    for (EvaluatedGradient answer = gradients.next(); answer != null; answer = gradients.next()) {
      answers.add(answer.terms().round() + ": " + answer.gradient()[0]);
    }
    return answers;
  }

  @Test
  void everyRoundIsAnsweredOnceByTheMean() {
    assertThat(all(gradients(new RoundPublisher(90, 1), false, 3)))
        .containsExactly("0: -3.0", "10: 7.0", "20: 17.0");
  }

  @Test
  void everyRoundIsAnsweredOnceByEachRow() {
    assertThat(all(gradients(new RoundPublisher(90, 1), true, 2)))
        .containsExactly("0: -2.0", "0: -4.0", "10: 8.0", "10: 6.0");
  }

  @Test
  void everyRowUsesTheNewestRound() {
    RoundPublisher rounds = new RoundPublisher(90, 1);
    RowGradients gradients = gradients(rounds, true, 1);
    gradients.next();
    rounds.publish();

    EvaluatedGradient second = gradients.next();

    assertThat(second.terms().round()).isEqualTo(10);
    assertThat(second.gradient()).containsExactly(6);
    assertThat(gradients.next()).isNull();
  }

  /** No further round is waited for. */
  @Test
  void nothingFollowsDataThatAreReported() {
    assertThat(all(gradients(new RoundPublisher(90, 1), false, 3, key -> true)))
        .containsExactly("0: -3.0");
  }

  @Test
  void equalRowsHaveKeysOfTheirOwnInEveryRun() {
    Rows equal = Rows.of(new double[][] {{1}, {1}, {2}}, new double[] {2, 2, 2}, new SquaredLoss());
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    for (int run = 0; run < 2; run++) {
      List<DataKey> keys = equal.each().stream().map(Rows::key).toList();
      for (DataKey key : keys) {
        assertThat(ledger.reported("m", key)).isEqualTo(run);
      }
      for (DataKey key : keys) {
        ledger.release(
            "m", key.times(2), new L2LaplaceRandomiser(1, 2, -16, 1).cost(), s -> new byte[1]);
      }
    }
  }

  @Test
  void aRetiredModelIsAnError() {
    RowGradients gradients = gradients(new RoundPublisher(10, 1), false, 3);

    assertThat(gradients.next().terms().round()).isZero();
    assertThat(gradients.next().terms().round()).isEqualTo(10);
    assertThat(gradients.place()).isEqualTo("the answer to round 10");
    assertThat(gradients.left()).isEqualTo("1 more");
    assertThatThrownBy(gradients::next).isInstanceOf(InputException.class).hasMessage("retired");
  }
}
