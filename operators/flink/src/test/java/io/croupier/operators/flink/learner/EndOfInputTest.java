package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.TestRecords;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndOfInputTest extends UninterruptedLearner {

  @Test
  void theEndOfTheInputPublishes() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    end();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(1);
    assertThat(updates()).hasSize(2);
  }

  /** No later publication could include what a hold keeps back. */
  @Test
  void theEndOfTheInputEndsEveryHold() throws Exception {
    run(TestRecords.sgd("behind"));
    run(TestRecords.sgd("unanswered"));
    learner.report(TestRecords.dense("unanswered", 0, 1, 0));
    learner.barrier();
    learner.publish(0, TestRecords.sgd("unconfirmed"));
    learner.failedBarrier();
    learner.report(TestRecords.dense("unanswered", 0, 1, 0));
    learner.report(TestRecords.dense("unconfirmed", 0, 1, 0));
    learner.report(TestRecords.dense("behind", 0, 1, 0));
    end();

    for (String model : List.of("behind", "unconfirmed")) {
      assertThat(last(model).getRound()).as(model).isEqualTo(1);
      assertThat(last(model).getWeights(0)).as(model).isEqualTo(-1);
      assertThat(last(model).getUsed()).as(model).isEqualTo(1);
    }
    assertThat(last("unanswered").getRound()).isEqualTo(2);
    assertThat(last("unanswered").getUsed()).isEqualTo(2);
  }

  @Test
  void theEndOfTheInputClosesTheLastRound() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2));
    for (int report = 0; report < 101; report++) {
      learner.report(TestRecords.dense("m", 0, 1, 0));
    }
    end();
    assertThat(learner.lastUpdate().getOpen()).isZero();
    assertThat(learner.lastUpdate().getRound()).isOne();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(101);
  }

  /** No barrier follows at which they would time out. */
  @Test
  void theEndOfTheInputClosesRoundsThatWouldTimeOut() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(100));
    run(TestRecords.sgd("n").setReportsPerRound(4));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(TestRecords.dense("n", 0, 1, 0));
    learner.barrier();
    end();
    assertThat(last("m").getUsed()).isEqualTo(1);
    assertThat(last("m").getRound()).isEqualTo(1);
    assertThat(last("n").getOpen()).as("without a timeout").isEqualTo(1);
  }

  /** A checkpoint follows the end of the input, and the sink takes no record after it. */
  @Test
  void nothingIsPublishedAfterTheEndOfTheInput() throws Exception {
    learner.publish(0, TestRecords.sgd("m"));
    learner.failedBarrier();
    learner.report(TestRecords.dense("m", 0, 1, 0));
    end();
    int outputs = learner.outputs().size();
    learner.completed(1);
    learner.barrier();
    learner.barrier();
    assertThat(learner.outputs()).hasSize(outputs);
  }

  @Test
  void theEndOfOneInputEndsNoHold() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    learner.onEach(harness -> harness.endInput2());
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("no report names it").isOne();
    learner.onEach(harness -> harness.endInput1());
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);
  }

  private ModelUpdate last(String model) {
    List<ModelUpdate> ofModel =
        updates().stream().filter(update -> update.getModelId().equals(model)).toList();
    return ofModel.get(ofModel.size() - 1);
  }
}
