package io.croupier.operators.flink.restart;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.learner.LearnerTasks;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.ModelUpdate;
import java.util.SplittableRandom;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ledger and learner without state, in harnesses. A harness's close() may throw any exception. */
@SuppressWarnings("try")
class LedgerStartTest {

  private static LedgerTasks ledger(LedgerStart start, VisibleRecords visible) throws Exception {
    return new LedgerTasks(Backend.HASH_MAP, Plan.RESCALED, LedgerTasks.operator(start, visible));
  }

  /** Returns the events of a ledger on a stream of many users, in order. */
  private static VisibleRecords history() throws Exception {
    VisibleRecords visible = new VisibleRecords();
    SplittableRandom random = new SplittableRandom(31);
    try (LedgerTasks lost = ledger(LedgerStart.REQUIRE_STATE, new VisibleRecords())) {
      lost.publish(0, TestRecords.sgd("m"));
      for (int i = 0; i < 200; i++) {
        visible.events.add(
            lost.judge(
                TestRecords.report(
                    "user " + random.nextInt(9),
                    random.nextInt(40),
                    random.nextInt(9) == 0 ? "unknown" : "m",
                    random.nextDouble(),
                    0)));
      }
    }
    return visible;
  }

  @Test
  void accountsWithoutStateAreRefused() throws Exception {
    VisibleRecords visible = history();

    assertRefused(
        () -> ledger(LedgerStart.REQUIRE_STATE, visible),
        "accounts",
        "--from",
        "--rebuild-ledger",
        "--new-ledger");
  }

  /** A rebuild is a job of its own; the operator never starts without its state. */
  @ParameterizedTest
  @EnumSource(names = {"REBUILD", "REBUILT"})
  void aRebuildWithoutItsStateIsRefused(LedgerStart start) throws Exception {
    VisibleRecords visible = history();

    assertRefused(() -> ledger(start, visible), "without the ledger's state");
  }

  @Test
  void aNewLedgerForgets() throws Exception {
    try (LedgerTasks fresh = ledger(LedgerStart.NEW, history())) {
      fresh.publish(0, TestRecords.sgd("m"));

      fresh.barrier(); // restores a state in which nothing was judged since
      assertThat(fresh.judge("user 1", 1, "m").getUserTotals())
          .matches(totals -> totals.getReports() == 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void modelsWithoutStateContinueAboveTheVisibleRounds(Plan plan) throws Exception {
    VisibleRecords visible = new VisibleRecords();
    visible.rounds.add(new PublishedRound("m", 41, 0));
    visible.rounds.add(new PublishedRound("m", 7, 0));
    visible.rounds.add(new PublishedRound("later", 12, 0));
    try (LearnerTasks learner =
        new LearnerTasks(Backend.HASH_MAP, plan, JournalSettings.OFF, visible)) {
      learner.publish(0, TestRecords.sgd("m"));
      learner.publish(1, TestRecords.sgd("other"));
      learner.barrier();
      visible.rounds.clear();
      learner.publish(2, TestRecords.sgd("later"));
      learner.barrier();

      assertThat(TestRecords.updates(learner.outputs()))
          .extracting(ModelUpdate::getModelId, ModelUpdate::getRound)
          .containsExactlyInAnyOrder(tuple("m", 42L), tuple("other", 0L), tuple("later", 13L));
    }
  }

  @Test
  void roundsWithoutMarksAreKnownAtTheNextRestore() throws Exception {
    VisibleRecords visible = new VisibleRecords();
    visible.rounds.add(new PublishedRound("resting", 5, 0));
    OperatorSubtaskState unmarked;
    try (var old = LearnerTasks.harness(TestRecords.REQUIREMENTS, visible)) {
      old.open();
      unmarked =
          old.snapshot(1, 1).toBuilder()
              .setManagedOperatorState(StateObjectCollection.empty())
              .build();
    }
    OperatorSubtaskState next;
    try (var learner = LearnerTasks.harness(TestRecords.REQUIREMENTS, visible)) {
      learner.initializeState(unmarked);
      learner.open();
      next = learner.snapshot(2, 2);
    }

    try (var learner = LearnerTasks.harness(TestRecords.REQUIREMENTS, visible)) {
      learner.initializeState(next);
    }
    visible.rounds.add(new PublishedRound("resting", 6, 0));
    try (var learner = LearnerTasks.harness(TestRecords.REQUIREMENTS, visible)) {
      assertRefused(() -> learner.initializeState(next), "ends at round 5");
    }
  }

  @Test
  void aLaterVisibleRoundIsRefused() throws Exception {
    VisibleRecords visible = new VisibleRecords();
    try (LearnerTasks learner =
        new LearnerTasks(Backend.HASH_MAP, Plan.RESTORED, JournalSettings.OFF, visible)) {
      learner.publish(0, TestRecords.sgd("m"));
      visible.rounds.add(new PublishedRound("m", 0, 0));
      learner.barrier();
      visible.rounds.add(new PublishedRound("m", 1, 0));

      assertRefused(learner::barrier, "models-updated", "round 1 of model m", "ends at round 0");
    }
  }

  /** All subtasks have the same specs, and each restores those of the first one. */
  @Test
  void onlyTheFirstSubtaskStoresSpecs() throws Exception {
    OperatorSubtaskState state;
    try (var first = harness(new VisibleRecords(), 2, 0);
        var second = harness(new VisibleRecords(), 2, 1)) {
      first.open();
      second.open();
      first.processElement2(TestRecords.published(0, TestRecords.sgd("m")), 0);
      second.processElement2(TestRecords.published(0, TestRecords.sgd("m")), 0);
      first.snapshot(1, 1);
      second.snapshot(1, 1);
      first.processElement2(TestRecords.published(1, TestRecords.sgd("other")), 0);
      second.processElement2(TestRecords.published(1, TestRecords.sgd("other")), 0);
      OperatorSubtaskState ofFirst = first.snapshot(2, 2);
      OperatorSubtaskState ofSecond = second.snapshot(2, 2);
      assertThat(specs(ofFirst)).isEqualTo(2);
      assertThat(specs(ofSecond)).isZero();
      assertThat(specs(first.snapshot(3, 3))).as("unchanged").isEqualTo(2);
      state = AbstractStreamOperatorTestHarness.repackageState(ofFirst, ofSecond);
    }
    for (int index = 0; index < 3; index++) {
      try (var restored = harness(new VisibleRecords(), 3, index)) {
        restored.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(state, 16, 2, 3, index));
        restored.open();
        assertThat(specs(restored.snapshot(4, 4))).isEqualTo(index == 0 ? 2 : 0);
      }
    }
  }

  /** The number of specs in a state. */
  private static int specs(OperatorSubtaskState state) {
    return state.getManagedOperatorState().stream()
        .flatMap(handle -> handle.getStateNameToPartitionOffsets().entrySet().stream())
        .filter(entry -> entry.getKey().equals(StateNames.PUBLISHED_SPECS))
        .mapToInt(entry -> entry.getValue().getOffsets().length)
        .sum();
  }

  /** Before it, sinks of other subtasks may not have committed what the state lists. */
  @Test
  void transactionsThatWereLeftOpenAreAbortedOnceACheckpointIsComplete() throws Exception {
    int before = VisibleRecords.ABORTS.get();
    try (var ledger = harness(new VisibleRecords(), 1, 0)) {
      ledger.open();
      ledger.prepareSnapshotPreBarrier(1);
      ledger.snapshot(1, 1);
      assertThat(VisibleRecords.ABORTS).hasValue(before);
      ledger.notifyOfCompletedCheckpoint(1);
      ledger.notifyOfCompletedCheckpoint(2);
      assertThat(VisibleRecords.ABORTS).hasValue(before + 1);
    }
  }

  @Test
  void stateWithoutTheLedgersCountsAsNone() throws Exception {
    VisibleRecords visible = history();

    try (var ledger = harness(visible, 1, 0)) {
      assertRefused(
          () -> ledger.initializeState(OperatorSubtaskState.builder().build()),
          "without the ledger's state");
    }
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>
      harness(VisibleRecords visible, int parallelism, int index) throws Exception {
    return LedgerTasks.harness(
        LedgerTasks.operator(LedgerStart.REQUIRE_STATE, visible), parallelism, index);
  }
}
