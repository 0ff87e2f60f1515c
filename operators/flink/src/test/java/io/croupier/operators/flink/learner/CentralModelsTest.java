package io.croupier.operators.flink.learner;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Models to which the job adds the noise, in ledger and learner, in harnesses. */
@SuppressWarnings("try")
class CentralModelsTest {
  private static final int ONE = 1 << 16;

  /** The harness's clock. */
  private static final long NOW_MS = 1_000_000;

  private final VisibleRecords visible = new VisibleRecords();

  private LearnerTasks learner(Plan plan) throws Exception {
    return new LearnerTasks(Backend.HASH_MAP, plan, JournalSettings.OFF, visible);
  }

  private static List<OutboundRecord> of(Destination destination, LearnerTasks learner) {
    return learner.outputs().stream().filter(record -> record.destination == destination).toList();
  }

  @Test
  void everyUpdateComesWithItsGuarantee() throws Exception {
    try (LearnerTasks learner = learner(Plan.NEVER_STOPPED)) {
      learner.publish(0, TestRecords.central("m"));
      learner.barrier();
      learner.report(TestRecords.grid("m", 0, ONE / 2, 0));
      assertThat(of(Destination.UPDATES, learner)).as("between two barriers").hasSize(1);
      learner.barrier();
      learner.barrier();

      List<ModelUpdate> updates = TestRecords.updates(learner.outputs());
      assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
      assertThat(updates.get(1).getWeights(0)).isCloseTo(-0.5, within(1e-7));
      List<GuaranteeEvent> guarantees =
          of(Destination.GUARANTEES, learner).stream().map(CentralModelsTest::guarantee).toList();
      assertThat(guarantees).extracting(GuaranteeEvent::getRound).containsExactly(0L, 1L);
      assertThat(guarantees.get(1).getZeroOut().getZeta()).isEqualTo(1);
      assertThat(guarantees.get(1).getReplaceOne().getMu()).isCloseTo(2e9, within(1.0));
      assertThat(of(Destination.GUARANTEES, learner).get(0).key)
          .isEqualTo("m".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static GuaranteeEvent guarantee(OutboundRecord record) {
    try {
      return GuaranteeEvent.parseFrom(record.value);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError("Not a GuaranteeEvent", e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void aLostUpdateIsPublishedAgainByteForByte(Plan plan) throws Exception {
    try (LearnerTasks learner = learner(plan)) {
      learner.publish(0, TestRecords.central("m").setReportsPerRound(2));
      learner.barrier();
      visible.rounds.add(new PublishedRound("m", 0, NOW_MS));
      learner.report(TestRecords.grid("m", 0, ONE, 0));
      learner.report(TestRecords.grid("m", 0, ONE, 0));
      learner.barrier();
      // Round 1 was in that checkpoint, and isn't visible.
      learner.report(TestRecords.grid("m", 1, 0, ONE));
      learner.barrier();

      List<OutboundRecord> updates = of(Destination.UPDATES, learner);
      assertThat(updates).hasSize(4);
      assertThat(updates.get(1).value).as("round 0 was lost, too").isEqualTo(updates.get(0).value);
      assertThat(updates.get(3).value).isEqualTo(updates.get(2).value);
      List<OutboundRecord> guarantees = of(Destination.GUARANTEES, learner);
      assertThat(guarantees.get(3).value).isEqualTo(guarantees.get(2).value);

      visible.rounds.add(new PublishedRound("m", 1, NOW_MS));
      learner.barrier();
      assertThat(of(Destination.UPDATES, learner)).hasSize(5);
      learner.barrier();
      assertThat(of(Destination.UPDATES, learner))
          .as("a visible round isn't published again")
          .hasSize(5);
    }
  }

  /** Its time stays: by another one, a start would take its noise for that of another job. */
  @Test
  void aRoundIsPublishedAgainWithItsTime() throws Exception {
    try (LearnerTasks learner = learner(Plan.RESTORED)) {
      learner.publish(0, TestRecords.central("m"));
      learner.barrier();
      visible.rounds.add(new PublishedRound("m", 0, NOW_MS));
      learner.advanceTime(1_000);
      learner.publish(1, TestRecords.central("m").setAnswerProbability(0.5));
      learner.barrier();

      List<ModelUpdate> updates = TestRecords.updates(learner.outputs());
      ModelUpdate again = updates.get(updates.size() - 1);
      assertThat(again.getAnswerProbability()).isEqualTo(0.5);
      assertThat(again.getPublishedAtMs()).isEqualTo(NOW_MS);
    }
  }

  @Test
  void aStateOlderThanWhatIsVisibleIsRefused() throws Exception {
    LearnerTasks learner = learner(Plan.RESTORED);
    learner.publish(0, TestRecords.central("m"));
    visible.rounds.add(new PublishedRound("m", 3, NOW_MS));
    assertRefused(learner::barrier, "round 3 of model m");
  }

  /** Two jobs that continue from one state publish the same rounds, with different noise. */
  @Test
  void anotherJobsRoundOfTheSameNumberIsRefused() throws Exception {
    LearnerTasks learner = learner(Plan.RESTORED);
    learner.publish(0, TestRecords.central("m"));
    visible.rounds.add(new PublishedRound("m", 0, NOW_MS - 1));
    assertRefused(learner::barrier, "round 0 of central model m is visible with other noise");
  }

  @Test
  void aLostUpdateOfARetiredModelIsNotPublishedAgain() throws Exception {
    try (LearnerTasks learner = learner(Plan.RESTORED)) {
      learner.publish(0, TestRecords.central("m"));
      learner.barrier();
      learner.retire(1, "m");
      learner.publish(2, TestRecords.sgd("m"));
      learner.barrier();
      List<OutboundRecord> updates = of(Destination.UPDATES, learner);
      assertThat(updates).hasSize(3);
      assertThat(updates.get(1).value).as("tombstone").isNull();
      assertThat(TestRecords.update(updates.get(2)).getRound()).isEqualTo(1);
    }
  }

  @Test
  void aNameWhoseRoundsAreBeyondTheHorizonNeedsANewOne() throws Exception {
    try (LearnerTasks learner = learner(Plan.NEVER_STOPPED)) {
      var spec = TestRecords.central("m");
      spec.getDpFtrlBuilder()
          .setNoise(
              PrefixSumNoise.newBuilder()
                  .setBlt(PrefixSumNoise.Blt.newBuilder().setBuffers(1).setHorizon(1)));
      learner.publish(0, TestRecords.sgd("m"));
      learner.barrier();
      learner.retire(1, "m");
      learner.publish(2, spec);
      assertThat(of(Destination.DEAD_LETTERS, learner))
          .singleElement()
          .satisfies(
              letter ->
                  assertThat(new String(letter.headerValues[0], StandardCharsets.UTF_8))
                      .contains("next round is 1", "another model_id"));
    }
  }

  @Test
  void aReportJudgedForAnEarlierModelOfTheNameIsNotUsed() throws Exception {
    try (LearnerTasks learner = learner(Plan.NEVER_STOPPED)) {
      learner.publish(0, TestRecords.sgd("m"));
      learner.barrier();
      learner.retire(1, "m");
      learner.publish(2, TestRecords.central("m"));
      learner.barrier();
      RoundSum unclipped = TestRecords.grid("m", 1, 100 * ONE, 0);
      learner.report(unclipped);
      learner.barrier();
      assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    }
  }

  @Test
  void theLedgerClipsForwardedReports() throws Exception {
    try (LedgerTasks ledger = new LedgerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, List::of)) {
      ledger.publish(0, TestRecords.central("m"));
      ReportDraft report = TestRecords.report("ada", 1, "m", 300, -400);
      report.mechanism = CentralNoise.CENTRAL;
      assertThat(ledger.outcome(report)).isEqualTo(Outcome.ADMITTED);
      RoundSum sum = ledger.outputs().get(0);
      assertThat(sum.form).isEqualTo(VectorForm.GRID);
      int[] steps = new int[2];
      java.nio.ByteBuffer.wrap(sum.values)
          .order(java.nio.ByteOrder.LITTLE_ENDIAN)
          .asIntBuffer()
          .get(steps);
      assertThat(Arrays.stream(steps).boxed().toList())
          .containsExactly((int) (0.6 * ONE), -(int) (0.8 * ONE));
    }
  }

  private static Function<ModelSpec, List<String>> requirements(Configuration job) {
    return TestRecords.REQUIREMENTS.in(job, new BltSearches());
  }

  @Test
  void centralModelsRequireExactlyOnceCheckpoints() throws Exception {
    ModelSpec spec = TestRecords.central("m").build();
    Configuration atLeastOnce = new Configuration();
    atLeastOnce.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    atLeastOnce.set(
        CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.AT_LEAST_ONCE);
    for (Configuration job : List.of(new Configuration(), atLeastOnce)) {
      assertThat(requirements(job).apply(spec))
          .singleElement()
          .asString()
          .contains("central", "execution.checkpointing.mode", "EXACTLY_ONCE");
      assertThat(requirements(job).apply(TestRecords.sgd("m").build())).isEmpty();
    }
    Configuration tolerant = new Configuration();
    tolerant.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    assertThat(requirements(tolerant).apply(spec)).isEmpty();
    tolerant.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 1);
    assertThat(requirements(tolerant).apply(spec))
        .singleElement()
        .asString()
        .contains("central", "execution.checkpointing.tolerable-failed-checkpoints is 1", "to 0");
    assertThat(requirements(tolerant).apply(TestRecords.sgd("m").build())).isEmpty();
    assertThat(new SpecRequirements(1 << 20, 1 << 20, Duration.ofMinutes(15)).apply(spec))
        .singleElement()
        .asString()
        .contains("PT15M", "transaction.max.timeout.ms", "86400000");

    LedgerTasks ledger = new LedgerTasks(Backend.HASH_MAP, Plan.RESTORED, List::of);
    ledger.publish(0, TestRecords.central("m"));
    ledger.barrier();
    ledger.job.set(
        CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, CheckpointingMode.AT_LEAST_ONCE);
    assertRefused(ledger::barrier, "Model m can't continue");
  }
}
