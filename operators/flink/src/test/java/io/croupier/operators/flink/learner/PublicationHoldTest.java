package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import org.apache.flink.configuration.CheckpointingOptions;
import org.junit.jupiter.api.Test;

class PublicationHoldTest extends UninterruptedLearner {

  @Test
  void noRoundOpensWhileThePublicationBeforeItIsUnconfirmed() throws Exception {
    learner.publish(0, TestRecords.sgd("m").setMaxStaleness(1));
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

  /** Its votes and answers take the place of reports. */
  @Test
  void aModelWithoutALearnerWaitsForAnswers() throws Exception {
    run(TestRecords.minutes("m").setReportsPerRound(2).setRoundTimeoutMs(5_000));
    assertThat(learner.lastUpdate().getWeightsCount()).isZero();
    learner.report(TestRecords.answer("m", 0, "minutes", true));
    learner.advanceTime(4_999);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("one answer of two").isZero();
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("the round has timed out").isOne();
    assertThat(learner.lastUpdate().getUsed()).isOne();

    double threshold = learner.lastUpdate().getStatistics(0).getThreshold();
    for (int i = 0; i < 5; i++) {
      learner.report(TestRecords.answer("m", 0, "minutes", true));
    }
    learner.barrier();
    learner.advanceTime(59_999);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("no answer names the newest").isOne();
    assertThat(learner.lastUpdate().getWaitsFor()).isEqualTo(ModelUpdate.Wait.ANSWER);
    assertThat(learner.lastUpdate().getOpen()).isEqualTo(5);
    assertThat(learner.lastUpdate().getAnswers()).isEqualTo(6);
    assertThat(learner.lastUpdate().getStatistics(0).getThreshold()).isEqualTo(threshold);
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("the hold ends").isEqualTo(2);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(6);
    assertThat(learner.lastUpdate().getStatistics(0).getThreshold()).isNotEqualTo(threshold);

    learner.report(TestRecords.answer("m", 2, "minutes", false));
    learner.report(TestRecords.answer("m", 2, "minutes", false));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(3);
    for (int barrier = 0; barrier < 9; barrier++) {
      learner.advanceTime(600_000);
      learner.barrier();
    }
    assertThat(learner.lastUpdate().getRound()).as("without answers, it waits").isEqualTo(3);
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
    hold();
    assertThat(learner.lastUpdate().getRound()).as("the hold ends").isEqualTo(round + 1);

    learner.report(TestRecords.dense("m", 1, 1, 0));
    hold();
    assertThat(learner.lastUpdate().getRound()).as("another hold").isEqualTo(round + 2);
  }

  private static ModelSpec.Builder anonymous(ModelSpec.Builder spec) {
    spec.getAnonymousBuilder()
        .setPublications(4)
        .addLevelsBuilder()
        .getPrivUnitBuilder()
        .setEpsilon(1);
    return spec.setMaxStaleness(1);
  }

  /** Checkpoints for so long that a hold just doesn't end, and one at which it does. */
  private void hold() throws Exception {
    long round = learner.lastUpdate().getRound();
    learner.barrier();
    learner.advanceTime(59_999);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(round);
    learner.advanceTime(1);
    learner.barrier();
  }

  /** Devices draw the publication at which they report, and none may have drawn this one. */
  @Test
  void withAnonymousWindowsAPublicationFollowsOneWithoutReports() throws Exception {
    run(anonymous(TestRecords.sgd("m")));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    ModelUpdate last = learner.lastUpdate();
    assertThat(last.getWeightsList()).containsExactly(-1.0, 0.0);
    for (int round = 2; round < 8; round++) {
      int before = updates().size();
      hold();
      assertThat(updates()).hasSize(before + 1);
      ModelUpdate next = learner.lastUpdate();
      assertThat(next.toBuilder().setPublishedAtMs(last.getPublishedAtMs()).build())
          .isEqualTo(last.toBuilder().setRound(round).build());
    }
    learner.report(TestRecords.dense("m", 6, 1, 0));
    learner.report(TestRecords.dense("m", 7, 1, 0));
    learner.report(TestRecords.dense("m", 5, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(8);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(3);
    assertThat(learner.lastUpdate().getDroppedStale()).isOne();
    assertThat(learner.lastUpdate().getWeightsList()).containsExactly(-2.0, 0.0);
  }

  @Test
  void withAnonymousWindowsARoundWaitsForReportsNoLongerThanTheHold() throws Exception {
    run(anonymous(TestRecords.sgd("m").setReportsPerRound(3)));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    hold();
    assertThat(learner.lastUpdate().getRound()).isOne();
    assertThat(learner.lastUpdate().getUsed()).isOne();
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    learner.advanceTime(30_000);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("without an answer").isOne();
    learner.advanceTime(30_000);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("both waits are one hold").isEqualTo(2);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(4);
  }

  @Test
  void otherModelsWaitForReports() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2));
    learner.barrier();
    learner.advanceTime(86_400_000);
    learner.barrier();
    assertThat(updates()).hasSize(1);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    learner.advanceTime(86_400_000);
    learner.barrier();
    assertThat(updates()).extracting(ModelUpdate::getRound).containsOnly(0L);
  }

  @Test
  void aHoldWithoutReportsBeginsWhenTheLastPublicationIsVisible() throws Exception {
    learner.publish(0, anonymous(TestRecords.sgd("m")));
    learner.failedBarrier();
    learner.advanceTime(600_000);
    learner.failedBarrier();
    assertThat(updates()).hasSize(1);
    learner.completed(2);
    hold();
    assertThat(learner.lastUpdate().getRound()).isOne();
  }

  @Test
  void theEndOfTheInputPublishesNoRoundWithoutReports() throws Exception {
    run(anonymous(TestRecords.sgd("m")));
    hold();
    assertThat(updates()).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
    learner.advanceTime(600_000);
    end();
    assertThat(updates()).hasSize(2);
  }
}
