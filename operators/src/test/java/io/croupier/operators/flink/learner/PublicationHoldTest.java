package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.schemas.ModelUpdate;
import org.apache.flink.configuration.CheckpointingOptions;
import org.junit.jupiter.api.Test;

class PublicationHoldTest extends UninterruptedLearner {

  @Test
  void noRoundOpensWhileThePublicationBeforeItIsUnconfirmed() throws Exception {
    learner.publish(TestRecords.published(0, TestRecords.sgd("m").setMaxStaleness(1)));
    for (int barrier = 1; barrier <= 20; barrier++) {
      learner.failedBarrier();
      learner.report(TestRecords.dense("m", 0, 1, 0));
    }
    assertThat(updates()).extracting(ModelUpdate::getRound).containsOnly(0L);

    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("one round, however many reports").isOne();
    assertThat(learner.lastUpdate().getWeights(0)).isEqualTo(-1);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(20);
    assertThat(learner.lastUpdate().getDroppedStale()).isZero();
  }

  @Test
  void aCheckpointConfirmsAllEarlierPublications() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.failedBarrier();
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.completed(1);
    learner.failedBarrier();
    assertThat(learner.lastUpdate().getRound()).as("an older one confirms nothing").isEqualTo(1);
    learner.completed(3);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);
  }

  @Test
  void unalignedBarriersOvertakeEarlierRecords() throws Exception {
    learner.close();
    learner = new LearnerTasks(Backend.HASH_MAP, Plan.RESTORED);
    learner.job.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.failedBarrier();
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.completed(2);
    learner.failedBarrier();
    assertThat(learner.lastUpdate().getRound()).as("checkpoint 2 may lack it").isEqualTo(1);
    learner.completed(3);
    learner.failedBarrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);
  }

  /** A backlog is one round, so reports of it don't become stale. */
  @Test
  void aBacklogIsOneRound() throws Exception {
    run(TestRecords.sgd("m").setMaxStaleness(0));
    learner.lag(3_600_000);
    for (int i = 0; i < 1000; i++) {
      learner.report(TestRecords.dense("m", 0, 1, 0));
    }
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isOne();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(1000);
    assertThat(learner.lastUpdate().getDroppedStale()).isZero();
  }

  /** Failed checkpoints don't reduce the time for which the model waits for an answer. */
  @Test
  void aHoldBeginsWhenTheLastPublicationIsVisible() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.failedBarrier();
    assertThat(learner.lastUpdate().getRound()).isOne();
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.failedBarrier();
    learner.advanceTime(600_000);
    learner.completed(3);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isOne();
    learner.advanceTime(60_000);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);
  }

  /** A learner must not continue from weights at which no gradient was evaluated. */
  @Test
  void noRoundOpensBeforeAReportHasNamedTheLastOne() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    for (int barrier = 0; barrier < 20; barrier++) {
      learner.report(TestRecords.dense("m", 0, 1, 0));
      learner.barrier();
    }
    assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    assertThat(learner.lastUpdate().getDroppedStale()).isZero();

    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.barrier();
    long round = learner.lastUpdate().getRound();
    assertThat(round).isEqualTo(2);
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.barrier();
    learner.advanceTime(59_999);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(round);
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("the hold ends").isEqualTo(round + 1);
  }
}
