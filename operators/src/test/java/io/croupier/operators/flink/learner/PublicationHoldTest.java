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
    assertThat(learner.lastUpdate().getUsed() + learner.lastUpdate().getOpen()).isEqualTo(19);
    assertThat(learner.lastUpdate().getWeights(0)).as("the weights of round 0").isZero();
    assertThat(learner.lastUpdate().getAverage(0)).as("goes on").isNegative();

    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isPositive();
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

  @Test
  void noRoundOpensWhileTheJobIsBehind() throws Exception {
    run(TestRecords.sgd("m").setMaxStaleness(0));
    learner.lag(1_001);
    for (int barrier = 0; barrier < 20; barrier++) {
      learner.report(TestRecords.dense("m", 0, 1, 0));
      learner.advanceTime(999);
      learner.barrier();
    }
    assertThat(updates()).extracting(ModelUpdate::getRound).containsOnly(0L);
    assertThat(learner.lastUpdate().getUsed() + learner.lastUpdate().getOpen()).isEqualTo(20);

    learner.lag(1_000);
    learner.advanceTime(1);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isPositive();
    assertThat(learner.lastUpdate().getDroppedStale()).isZero();
  }

  /** The backlog of one partition counts, however current the reports of others are. */
  @Test
  void currentReportsDontHideABacklog() throws Exception {
    run(TestRecords.sgd("m"));
    for (int barrier = 0; barrier < 5; barrier++) {
      learner.lag(10_000);
      learner.report(TestRecords.dense("m", 0, 1, 0));
      learner.lag(0);
      learner.report(TestRecords.dense("m", 0, 1, 0));
      learner.advanceTime(500);
      learner.barrier();
    }
    assertThat(updates()).extracting(ModelUpdate::getRound).containsOnly(0L);
  }

  @Test
  void aHoldBecauseOfABacklogEnds() throws Exception {
    run(TestRecords.sgd("m"));
    learner.advanceTime(3_600_000);
    learner.lag(5_000);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    learner.advanceTime(59_999);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);

    learner.report(TestRecords.dense("m", 2, 1, 0));
    learner.barrier();
    learner.advanceTime(59_999);
    learner.report(TestRecords.dense("m", 2, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("the next hold begins").isEqualTo(2);
  }

  /** Failed checkpoints don't reduce the time for which a backlog may hold a round. */
  @Test
  void aHoldBecauseOfABacklogBeginsWhenTheLastPublicationIsVisible() throws Exception {
    learner.publish(TestRecords.published(0, TestRecords.sgd("m")));
    learner.failedBarrier();
    learner.lag(5_000);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.failedBarrier();
    learner.advanceTime(600_000);
    learner.completed(2);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
  }

  /** Its sum is divided by the goal, whatever its count, so it must not grow further. */
  @Test
  void aFullCentralRoundClosesWhileTheJobIsBehind() throws Exception {
    run(TestRecords.central("m"));
    learner.lag(60_000);
    learner.report(TestRecords.grid("m", 0, 1 << 10, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
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
    assertThat(round).isGreaterThan(10);
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.barrier();
    learner.advanceTime(60_000);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("the hold ends").isEqualTo(round + 1);
  }
}
