package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import org.junit.jupiter.api.Test;

class LearnerOperatorTest extends UninterruptedLearner {
  private static RoundSum judgedBy(long specOffset, RoundSum sum) {
    sum.specOffset = specOffset;
    return sum;
  }

  @Test
  void usageExample() throws Exception {
    learner.publish(0, TestRecords.sgd("m").addInitialWeights(4).addInitialWeights(5));
    assertThat(learner.outputs()).as("before the first barrier").isEmpty();
    learner.barrier();
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(TestRecords.grid("m", 0, 0, 1 << 16));
    assertThat(learner.outputs()).as("between two barriers").hasSize(1);
    learner.advanceTime(500);
    learner.barrier();

    assertThat(learner.outputs())
        .allSatisfy(
            record -> {
              assertThat(record.destination).isEqualTo(Destination.UPDATES);
              assertThat(record.key).isEqualTo("m".getBytes(UTF_8));
            });
    assertThat(updates()).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
    assertThat(updates().get(0).getWeightsList()).containsExactly(4.0, 5.0);
    assertThat(updates().get(1).getWeightsList()).containsExactly(3.5, 4.5);
    assertThat(updates().get(1).getPublishedAtMs() - updates().get(0).getPublishedAtMs())
        .isEqualTo(500);
  }

  @Test
  void aBarrierWithoutNewsPublishesNothing() throws Exception {
    run(TestRecords.sgd("m"));
    run(TestRecords.sgd("n"));
    learner.barrier();
    assertThat(updates()).extracting(ModelUpdate::getModelId).containsExactly("m", "n");

    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    learner.barrier();
    assertThat(updates()).extracting(ModelUpdate::getModelId).containsExactly("m", "n", "m");
  }

  /** Each publication without answers asks twice as many devices, until it asks all. */
  @Test
  void aScoutingRoundWithoutAnswersIsPublishedAgain() throws Exception {
    run(TestRecords.movingClip("m"));
    for (int i = 0; i < 720; i++) {
      learner.report(TestRecords.clipAnswer("m", 0, i % 2 == 0));
    }
    for (int i = 0; i < 5; i++) {
      learner.barrier();
    }
    assertThat(updates()).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L, 1L);
    assertThat(updates())
        .extracting(ModelUpdate::getAnswerProbability)
        .containsExactly(1.0, 0.25, 0.5, 1.0);
  }

  @Test
  void aReportThatIsAheadOfItsSpecWaitsAndIsUsed() throws Exception {
    run(TestRecords.sgd("m"));
    learner.report(judgedBy(9, TestRecords.dense("m", 0, 0.5, 0)));
    learner.report(judgedBy(8, TestRecords.dense("m", 0, 0.25, 0)));
    learner.barrier();
    assertThat(updates()).as("nothing was taken in").hasSize(1);

    learner.publish(8, TestRecords.sgd("m").setMaxStaleness(3));
    learner.barrier();
    assertThat(learner.lastUpdate().getWeights(0)).isEqualTo(-0.25);
    learner.publish(9, TestRecords.sgd("m").setMaxStaleness(4));
    learner.barrier();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(1);
    assertThat(learner.lastUpdate().getOpen()).isEqualTo(1);
    learner.report(judgedBy(9, TestRecords.dense("m", 1, 0, 0)));
    learner.barrier();
    assertThat(learner.lastUpdate().getWeights(0)).isEqualTo(-0.5);
  }

  @Test
  void aReportThatIsAheadOfItsModelNamesAnUnpublishedRound() throws Exception {
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.outputs()).isEmpty();
    run(TestRecords.sgd("m"));
    assertThat(learner.lastUpdate().getDroppedUnpublished()).isEqualTo(1);
    assertThat(learner.lastUpdate().getWeights(0)).isZero();
  }

  @Test
  void dropsAreCountedAsStaleOrUnpublished() throws Exception {
    run(TestRecords.sgd("m").setMaxStaleness(1));
    for (long round = 0; round < 3; round++) {
      learner.report(TestRecords.dense("m", round, 1, 0));
      learner.barrier();
    }
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.report(TestRecords.dense("m", 4, 1, 0));
    learner.report(TestRecords.dense("m", 2, 1, 0));
    learner.report(TestRecords.dense("m", 3, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getDroppedStale()).isEqualTo(1);
    assertThat(learner.lastUpdate().getDroppedUnpublished()).isEqualTo(1);
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(5);
  }

  @Test
  void theTimeoutClosesAPartlyFullRound() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(100));
    learner.advanceTime(1000);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.advanceTime(60);
    learner.report(TestRecords.dense("m", 0, 0, 1));
    learner.advanceTime(39);
    learner.barrier();
    assertThat(updates()).as("only counts have changed").hasSize(1);

    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getOpen()).isZero();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    assertThat(learner.lastUpdate().getWeightsList()).containsExactly(-0.5, -0.5);
  }

  /** A page that shows how a round fills needs counts, at most every 10 seconds. */
  @Test
  void countsOfAHeldRoundArePublishedEveryTenSeconds() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(100));
    for (int i = 0; i < 50; i++) {
      learner.report(TestRecords.dense("m", 0, 1, 0));
      learner.advanceTime(1000);
      learner.barrier();
    }
    assertThat(updates()).extracting(ModelUpdate::getRound).containsOnly(0L);
    assertThat(updates())
        .extracting(ModelUpdate::getOpen)
        .containsExactly(0L, 10L, 20L, 30L, 40L, 50L);
  }

  @Test
  void eachRoundHasATimeoutOfItsOwn() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2).setRoundTimeoutMs(100));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.advanceTime(50);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("it is full").isOne();

    learner.advanceTime(60);
    learner.report(TestRecords.dense("m", 1, 1, 0));
    learner.advanceTime(99);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isOne();
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getUsed()).isEqualTo(3);
    assertThat(learner.lastUpdate().getRound()).isEqualTo(2);
  }

  /** A round whose reports came before the timeout waits for it from the next barrier on. */
  @Test
  void theTimeoutFollowsTheSpec() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.advanceTime(1000);
    learner.publish(1, TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(100));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
    learner.advanceTime(99);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isZero();
    learner.advanceTime(1);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isOne();

    learner.report(judgedBy(1, TestRecords.dense("m", 1, 1, 0)));
    learner.publish(2, TestRecords.sgd("m").setReportsPerRound(4));
    learner.advanceTime(1000);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).as("without a timeout").isOne();
  }

  @Test
  void aShorterTimeoutIsThatOfTheOpenRoundToo() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(86_400_000));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.publish(1, TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(100));
    learner.barrier();
    learner.advanceTime(100);
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isOne();
  }

  @Test
  void anAllowedChangeTakesEffect() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.publish(1, TestRecords.sgd("m").setReportsPerRound(3).setAnswerProbability(0.5));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getOpen()).isEqualTo(2);
    assertThat(learner.lastUpdate().getAnswerProbability()).isEqualTo(0.5);
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
  }

  @Test
  void aForbiddenChangeIsADeadLetterAndTheLastGoodSpecStays() throws Exception {
    run(TestRecords.sgd("m"));
    SpecRecord forbidden = TestRecords.published(1, TestRecords.sgd("m").setDimension(3));
    learner.publish(forbidden);
    OutboundRecord letter = learner.outputs().get(1);
    assertThat(letter.destination).isEqualTo(Destination.DEAD_LETTERS);
    assertThat(letter.key).isEqualTo("m".getBytes(UTF_8));
    assertThat(letter.value).isEqualTo(forbidden.value);
    assertThat(TestRecords.header(letter, DeadLetters.REASON))
        .isEqualTo("dimension of a running model is fixed: it is 2 and can't become 3");
    assertThat(TestRecords.header(letter, DeadLetters.TOPIC)).isEqualTo("models");
    assertThat(TestRecords.header(letter, DeadLetters.OFFSET)).isEqualTo("1");

    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getWeightsList()).containsExactly(-1.0, 0.0);
  }

  @Test
  void aRetiredModelLeavesATombstoneAndALaterOneContinuesTheRounds() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2).setRoundTimeoutMs(100));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.retire(1, "m");
    OutboundRecord tombstone = learner.outputs().get(1);
    assertThat(tombstone.destination).isEqualTo(Destination.UPDATES);
    assertThat(tombstone.key).isEqualTo("m".getBytes(UTF_8));
    assertThat(tombstone.value).isNull();
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.outputs()).as("of a retired model").hasSize(2);

    learner.publish(2, TestRecords.sgd("m").setDimension(3));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    assertThat(learner.lastUpdate().getUsed()).isZero();
    assertThat(learner.lastUpdate().getWeightsList()).containsExactly(0.0, 0.0, 0.0);
  }

  @Test
  void onlyOffsetsAndTheNextRoundOfARetiredModelStay() throws Exception {
    run(TestRecords.blackBox("m").setReportsPerRound(2).setRoundTimeoutMs(100));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.report(judgedBy(1, TestRecords.dense("m", 0, 1, 0)));
    learner.barrier();
    assertThat(learner.stored("m"))
        .contains("spec", "model/round-sums", "model/round-0-sum/0", "model/learner/bets");

    learner.retire(1, "m");
    learner.barrier();
    assertThat(learner.stored("m"))
        .containsExactly("deadline", "deadline-round", "last-offset", "next-round", "spec-offset");
    learner.onEach(
        harness ->
            assertThat(harness.numKeyedStateEntries()).as("entries of all states").isEqualTo(1));
  }

  @Test
  void aSuccessorBetweenTwoBarriersInheritsNoState() throws Exception {
    run(TestRecords.blackBox("m").setReportsPerRound(2));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    ModelSpec.Builder other = TestRecords.sgd("m");
    learner.retire(1, "m");
    learner.publish(2, other);
    learner.barrier();

    try (LearnerTasks fresh = new LearnerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED)) {
      fresh.publish(2, other);
      fresh.barrier();
      assertThat(learner.stored("m")).isEqualTo(fresh.stored("m"));
    }
  }

  @Test
  void directionsThatNoReportMayNameAreDeleted() throws Exception {
    run(TestRecords.blackBox("m").setMaxStaleness(1));
    for (long round = 0; round < 4; round++) {
      learner.report(TestRecords.dense("m", round, 1, 0));
      learner.barrier();
    }
    learner.barrier();
    assertThat(learner.stored("m"))
        .filteredOn(name -> name.startsWith("model/learner/direction-at-"))
        .as("one more until the next round")
        .containsExactly("model/learner/direction-at-2/0", "model/learner/direction-at-3/0");
    assertThat(learner.stored("m"))
        .filteredOn(name -> name.startsWith("model/learner/bet-at-"))
        .containsExactly(
            "model/learner/bet-at-2/0", "model/learner/bet-at-3/0", "model/learner/bet-at-4/0");
  }

  @Test
  void theChunksOfAnOpenRoundAreDeletedWithIt() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2));
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.stored("m")).contains("model/round-0-sum/0", "model/round-0-numbers/0");
    learner.report(TestRecords.dense("m", 0, 1, 0));
    learner.barrier();
    assertThat(learner.stored("m")).noneMatch(name -> name.startsWith("model/round-0"));
  }

  @Test
  void theCoordinatesOfARetiredModelAreDeleted() throws Exception {
    ModelSpec.Builder spec = TestRecords.common("m").setDimension(1000);
    spec.getCoordinateWiseBuilder();
    run(spec);
    learner.report(TestRecords.sparse("m", 0, 1000, 700, 1));
    learner.barrier();
    assertThat(learner.stored("m"))
        .filteredOn(name -> name.startsWith("model/learner/coordinates"))
        .as("only what a report has touched")
        .containsExactly("model/learner/coordinates:10");

    learner.retire(1, "m");
    learner.publish(2, spec);
    learner.report(judgedBy(2, TestRecords.sparse("m", 2, 1000, 0, 1)));
    learner.barrier();
    learner.report(judgedBy(2, TestRecords.sparse("m", 2, 1000, 0, 1)));
    learner.barrier();
    assertThat(learner.stored("m"))
        .filteredOn(name -> name.startsWith("model/learner/coordinates"))
        .containsExactly("model/learner/coordinates:0");
    learner.retire(3, "m");
    learner.barrier();
    assertThat(learner.stored("m")).noneMatch(name -> name.startsWith("model/"));
  }
}
