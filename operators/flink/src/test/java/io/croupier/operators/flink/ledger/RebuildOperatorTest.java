package io.croupier.operators.flink.ledger;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.ledger.RebuildResult.AccountedPosition;
import io.croupier.operators.flink.ledger.RebuildResult.SubtaskEnd;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rebuilds of a ledger from its events, in harnesses. */
@SuppressWarnings("try") // A harness's close() may throw any exception.
class RebuildOperatorTest {
  private static final int KEY_GROUPS = 16;
  private static final int USERS = 40;
  private static final List<String> MODELS = List.of("m", "a", "b", "c", "d", "e");
  private static final TopicEnd END = new TopicEnd(1, 2, List.of(400L));
  private static final List<AccountingEvent> HISTORY = new ArrayList<>();

  /** The last total of each user is that of a ledger that was never lost. */
  private static final Map<String, AccountingEvent> NEXT = new HashMap<>();

  @BeforeAll
  static void judge() throws Exception {
    SplittableRandom random = new SplittableRandom(31);
    try (LedgerTasks live = new LedgerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, List::of)) {
      for (String model : MODELS) {
        live.publish(0, TestRecords.sgd(model));
      }
      for (int i = 0; i < 400; i++) {
        String model = List.of("m", "a", "b", "c", "d", "e", "unknown").get(random.nextInt(7));
        ReportDraft report =
            TestRecords.report(
                "user " + random.nextInt(USERS), random.nextInt(40), model, random.nextDouble(), 0);
        report.offset = i;
        HISTORY.add(live.judge(report));
      }
      for (int user = 0; user < USERS; user++) {
        NEXT.put("user " + user, live.judge(next("user " + user)));
      }
    }
  }

  private static ReportDraft next(String user) {
    ReportDraft report = TestRecords.report(user, 1000, "c", 0.5, 0);
    report.offset = 1000;
    return report;
  }

  @ParameterizedTest
  @EnumSource
  void aRebuiltLedgerContinuesAsTheLostOne(Backend backend) throws Exception {
    assertThat(HISTORY)
        .extracting(AccountingEvent::getOutcome)
        .contains(Outcome.ADMITTED, Outcome.DUPLICATE, Outcome.REFUSED_UNKNOWN_MODEL);
    OperatorSubtaskState rebuilt;
    RebuildResult result;
    try (var one = rebuild(backend, 2, 0);
        var two = rebuild(backend, 2, 1)) {
      add(List.of(one, two), 0, HISTORY.size());
      one.endInput1();
      result = result(one);
      two.endInput1();
      assertThat(result.added() + result(two).added()).isEqualTo(HISTORY.size());
      assertThat(result(two).differing()).isZero();
      rebuilt =
          AbstractStreamOperatorTestHarness.repackageState(one.snapshot(2, 2), two.snapshot(2, 2));
    }

    assertThat(result.complete()).as("the other subtask has not ended").isFalse();
    assertThat(result.differing()).isZero();
    assertThat(result.highest())
        .singleElement()
        .extracting(AccountedPosition::partition)
        .isEqualTo(0);
    try (var ledger = ledger(backend, LedgerStart.REBUILT, rebuilt)) {
      for (String model : MODELS) {
        ledger.processElement2(TestRecords.published(0, TestRecords.sgd(model)), 0);
      }
      for (Map.Entry<String, AccountingEvent> expected : NEXT.entrySet()) {
        ledger.processElement1(TestRecords.record(next(expected.getKey())), 0);
        ((LedgerOperator) ledger.getOperator()).judgeBatch();
        assertThat(LedgerTasks.event(ledger.getSideOutput(SideOutputs.LEDGER).remove().getValue()))
            .isEqualTo(expected.getValue());
      }
    }
  }

  /** The adaptive scheduler runs a job with as many subtasks as there are slots. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
                    | false
          0/1       | true
          1/2       | false
          0/3 2/3   | false
          1/2 0/2   | true
          0/2 0/2   | false
          0/1 0/2   | false
          """)
  void aRebuildIsCompleteOnceAllOfItsSubtasksAre(String ends, boolean complete) {
    List<AccountedPosition> highest = List.of(new AccountedPosition("gradients", 0, 7));
    List<SubtaskEnd> entries = new ArrayList<>();
    for (String end : ends == null ? new String[0] : ends.split(" ", -1)) {
      String[] parts = end.split("/", -1);
      entries.add(
          new SubtaskEnd(
              Integer.parseInt(parts[0]),
              Integer.parseInt(parts[1]),
              entries.isEmpty() ? highest : List.of()));
    }
    assertThat(RebuildResult.of(Map.of(RebuildResult.COMPLETE, entries)))
        .isEqualTo(new RebuildResult(0, 0, complete, ends == null ? List.of() : highest));
  }

  @Test
  void noJobStartsFromAnUnfinishedRebuild() throws Exception {
    OperatorSubtaskState torn;
    try (var one = rebuild(Backend.HASH_MAP, 2, 0);
        var two = rebuild(Backend.HASH_MAP, 2, 1)) {
      add(List.of(one, two), 0, HISTORY.size());
      one.endInput1();
      torn =
          AbstractStreamOperatorTestHarness.repackageState(one.snapshot(1, 1), two.snapshot(1, 1));
    }

    for (LedgerStart start : LedgerStart.values()) {
      assertRefused(
          () -> ledger(Backend.HASH_MAP, start, torn),
          "not read all accounting events",
          "--rebuild-ledger");
    }
  }

  /** Its sources would begin with any reports. */
  @Test
  void noJobStartsFromARebuildWithoutTheLastAccountedReports() throws Exception {
    OperatorSubtaskState rebuilt;
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      one.endInput1();
      rebuilt = one.snapshot(1, 1);
    }

    for (LedgerStart start : LedgerStart.values()) {
      if (start != LedgerStart.REBUILT) {
        assertRefused(() -> ledger(Backend.HASH_MAP, start, rebuilt), "whole directory");
      }
    }
    OperatorSubtaskState next;
    try (var ledger = ledger(Backend.HASH_MAP, LedgerStart.REBUILT, rebuilt)) {
      next = ledger.snapshot(2, 2);
    }
    ledger(Backend.HASH_MAP, LedgerStart.REQUIRE_STATE, next).close();
  }

  @Test
  void aRebuildThatRestartsFromASavepointIsRefused() throws Exception {
    OperatorSubtaskState state;
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      add(List.of(one), 0, 10);
      state = one.snapshot(1, 1);
    }
    try (var next = harness(1, 0)) {
      assertRefused(() -> next.initializeState(state), "--rebuild-ledger");
    }
  }

  /** Flink ends both inputs before it takes the savepoint. */
  @Test
  void aDrainIsRefused() throws Exception {
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      add(List.of(one), 0, 10);
      one.endInput1();
      assertRefused(one::endInput2, "drain");
    }
  }

  @Test
  void anEventAfterTheEndIsRefused() throws Exception {
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      assertRefused(() -> one.processElement2(record(0), 0), "accounts-0@0", "another job");
    }
  }

  /**
   * Events that are deleted count while they are there; only that of the erasure has the totals.
   */
  @Test
  void deletionsOfEventsAreNoEvents() throws Exception {
    RawRecord event = record(1);
    RawRecord deletion = record(1);
    deletion.value = null;
    RawRecord ofTotals = record(1);
    ofTotals.key = AccountingKey.ofErasure(HISTORY.get(1).getUserId());
    ofTotals.value = null;
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      one.processElement1(event, 0);
      one.processElement1(deletion, 0);
      assertThat(one.numKeyedStateEntries()).isOne();
      one.processElement1(ofTotals, 0);
      assertThat(one.numKeyedStateEntries()).isZero();
      one.endInput1();
      assertThat(result(one).added()).isOne();
    }
  }

  @Test
  void aRecordThatIsNoEventIsRefused() throws Exception {
    RawRecord odd = record(3);
    odd.value = new byte[] {1, 2, 3};
    RawRecord deleted = record(4);
    deleted.value = null;
    AccountingEvent event = HISTORY.get(5);
    RawRecord severalUsers = record(5);
    severalUsers.value =
        AccountingEvent.newBuilder()
            .setUserId("first")
            .buildPartial()
            .toByteString()
            .concat(event.toByteString())
            .toByteArray();
    try (var one = rebuild(Backend.HASH_MAP, 1, 0)) {
      for (RawRecord record : List.of(odd, deleted, severalUsers)) {
        assertThatExceptionOfType(RefusedStartException.class)
            .isThrownBy(() -> one.processElement1(record, 0))
            .withMessageContaining("accounts-0@" + record.offset)
            .withMessageNotContaining(event.getUserId());
      }
    }
  }

  private static void add(
      List<KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, RawRecord, Integer>> subtasks,
      int from,
      int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      subtasks
          .get(
              KeyGroupRangeAssignment.assignKeyToParallelOperator(
                  HISTORY.get(i).getUserId(), KEY_GROUPS, subtasks.size()))
          .processElement1(record(i), 0);
    }
  }

  /** Versions 1 and 2 of the contract, as on the topic of a job that was upgraded. */
  private static RawRecord record(int i) {
    AccountingEvent event = HISTORY.get(i);
    RawRecord record = new RawRecord();
    record.topic = "accounts";
    record.offset = i;
    boolean isFormer = i % 2 == 0;
    record.key = isFormer ? event.getUserId().getBytes(UTF_8) : AccountingKey.of(event);
    record.value = isFormer ? event.toByteArray() : new AccountingEventWriter().write(event);
    return record;
  }

  private static RebuildResult result(AbstractStreamOperatorTestHarness<?> subtask) {
    Map<String, Object> values = new HashMap<>();
    subtask
        .getEnvironment()
        .getAccumulatorRegistry()
        .getUserMap()
        .forEach((name, accumulator) -> values.put(name, accumulator.getLocalValue()));
    return RebuildResult.of(values);
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, RawRecord, Integer>
      rebuild(Backend backend, int parallelism, int index) throws Exception {
    var harness = harness(parallelism, index);
    harness.setStateBackend(backend.create());
    harness.setup();
    harness.open();
    return harness;
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, RawRecord, Integer>
      harness(int parallelism, int index) throws Exception {
    return new KeyedTwoInputStreamOperatorTestHarness<>(
        new RebuildOperator(END),
        new UserOfEvent(),
        null,
        Types.STRING,
        KEY_GROUPS,
        parallelism,
        index);
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>
      ledger(Backend backend, LedgerStart start, OperatorSubtaskState state) throws Exception {
    var ledger = LedgerTasks.harness(LedgerTasks.operator(start, new VisibleRecords()), 1, 0);
    ledger.setStateBackend(backend.create());
    ledger.setup();
    ledger.initializeState(state);
    ledger.open();
    return ledger;
  }
}
