package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.SquaredLoss;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class RowGradientsTest {
  /** Gradients w - 2 and w - 4, their mean w - 3. */
  private static final Problem PROBLEM =
      new Problem(new double[] {1, 1}, new double[] {2, 4}, new double[] {1, 1}, new SquaredLoss());

  /** Publishes rounds 0, 10, 20, ..., whose weight is the round, each when it is waited for. */
  private static final class Rounds implements Publications {
    private final long last;
    private final double answerProbability;
    private long newest;

    Rounds(long last, double answerProbability) {
      this.last = last;
      this.answerProbability = answerProbability;
    }

    @Override
    public ModelSnapshot newest() {
      if (newest > last) {
        throw new InputException("retired");
      }
      return ModelSnapshot.parse(
          ModelUpdate.newBuilder()
              .setModelId("m")
              .setRound(newest)
              .addWeights((double) newest)
              .addAverage(0)
              .setGridExponent(-16)
              .setGradientBound(1)
              .setAnswerProbability(answerProbability)
              .build()
              .toByteArray());
    }

    @Override
    public Optional<ModelSnapshot> after(long round) {
      assertThat(round).isEqualTo(newest);
      newest += 10;
      return newest > last ? Optional.empty() : Optional.of(newest());
    }

    @Override
    public void requirePublished(long round) {
      throw new AssertionError("rows are evaluated at what is published");
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private static List<String> all(Gradients gradients) {
    List<String> answers = new ArrayList<>();
    for (Answer answer = gradients.next(); answer != null; answer = gradients.next()) {
      answers.add(answer.round() + ": " + answer.gradient()[0]);
    }
    return answers;
  }

  @Test
  void everyRoundIsAnsweredOnceByTheMean() {
    assertThat(all(new RowGradients(PROBLEM, new Rounds(90, 1), false, 3, () -> 0.999)))
        .containsExactly("0: -3.0", "10: 7.0", "20: 17.0");
  }

  @Test
  void orByEachRow() {
    assertThat(all(new RowGradients(PROBLEM, new Rounds(90, 1), true, 2, () -> 0.999)))
        .containsExactly("0: -2.0", "0: -4.0", "10: 8.0", "10: 6.0");
  }

  @Test
  void aRoundIsLeftOutByTheFallOfTheCoin() {
    Iterator<Double> coins = DoubleStream.of(0.3, 0.29, 0.9, 0).iterator();

    assertThat(all(new RowGradients(PROBLEM, new Rounds(90, 0.3), false, 4, coins::next)))
        .containsExactly("10: 7.0", "30: 27.0");
    assertThat(coins).isExhausted();
  }

  @Test
  void aModelThatIsRetiredEndsItWithAnError() {
    RowGradients gradients = new RowGradients(PROBLEM, new Rounds(10, 1), false, 3, () -> 0);

    assertThat(gradients.next().round()).isZero();
    assertThat(gradients.next().round()).isEqualTo(10);
    assertThat(gradients.place()).isEqualTo("the answer to round 10");
    assertThat(gradients.left()).isEqualTo("1 more");
    assertThatThrownBy(gradients::next).isInstanceOf(InputException.class).hasMessage("retired");
  }
}
