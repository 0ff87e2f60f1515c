package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.ledger.ReplayWindow;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The ledger refuses a state that has an account in the states of release 0.1.0. */
class FormerAccountsTest {

  /** What is in these states after a user's report. */
  private enum Kept {
    TOTALS,

    /** A refused central report is free, so its user has a window and no totals. */
    WINDOW,

    /** Release 0.2.0 has moved the account. */
    NOTHING
  }

  /** A ledger that writes the states of release 0.1.0. */
  private static final class FormerLedger extends AbstractStreamOperator<RoundSum>
      implements TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum> {
    private static final long serialVersionUID = 1;

    private final Kept kept;
    private transient ListState<LedgerMark> marks;
    private transient ValueState<Totals> totals;
    private transient MapState<String, ReplayWindow> windows;

    FormerLedger(Kept kept) {
      this.kept = kept;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      marks =
          context
              .getOperatorStateStore()
              .getUnionListState(
                  new ListStateDescriptor<>(
                      StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
      totals =
          context
              .getKeyedStateStore()
              .getState(
                  new ValueStateDescriptor<>("user-totals", TypeInformation.of(Totals.class)));
      windows =
          context
              .getKeyedStateStore()
              .getMapState(
                  new MapStateDescriptor<>(
                      "replay-windows", Types.STRING, TypeInformation.of(ReplayWindow.class)));
    }

    @Override
    public void processElement1(StreamRecord<RawRecord> element) throws Exception {
      totals.update(new Totals());
      windows.put("phone", new ReplayWindow());
      if (kept != Kept.TOTALS) {
        totals.clear();
      }
      if (kept != Kept.WINDOW) {
        windows.clear();
      }
    }

    @Override
    public void processElement2(StreamRecord<SpecRecord> element) {
      throw new AssertionError("no spec is published to it");
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
      super.snapshotState(context);
      marks.update(List.of(new LedgerMark()));
    }
  }

  /** The first start has the states of release 0.1.0, later ones are of this release. */
  private static LedgerTasks upgraded(Kept kept, Backend backend) throws Exception {
    int[] starts = new int[1];
    return new LedgerTasks(
        () -> starts[0]++ == 0 ? new FormerLedger(kept) : ledger(), backend, Plan.RESTORED);
  }

  private static LedgerOperator ledger() {
    return new LedgerOperator(
        List::of,
        TestRecords.REQUIREMENTS,
        TestRecords.TOPICS,
        TestRecords.DEAD_LETTERS,
        Limits.getDefaultInstance(),
        false,
        LedgerStart.REQUIRE_STATE,
        new VisibleRecords());
  }

  @ParameterizedTest
  @CsvSource({"TOTALS, HASH_MAP", "TOTALS, ROCKS_DB", "WINDOW, HASH_MAP", "WINDOW, ROCKS_DB"})
  void anAccountIsRefused(Kept kept, Backend backend) throws Exception {
    try (LedgerTasks ledger = upgraded(kept, backend)) {
      ledger.receive(TestRecords.record(TestRecords.report("ada", 1, "m", 0.5, 0)));
      assertThatExceptionOfType(RefusedStartException.class)
          .isThrownBy(ledger::barrier)
          .withMessageContaining("release 0.1.0")
          .withMessageContaining("release 0.2.0")
          .withMessageContaining("--rebuild-ledger")
          .withMessageNotContaining("ada");
    }
  }

  /** Flink keeps the empty states: they restore again and again. */
  @ParameterizedTest
  @EnumSource
  void emptyStatesRestore(Backend backend) throws Exception {
    try (LedgerTasks ledger = upgraded(Kept.NOTHING, backend)) {
      ledger.receive(TestRecords.record(TestRecords.report("ada", 1, "m", 0.5, 0)));
      ledger.barrier();
      ledger.publish(TestRecords.published(0, TestRecords.sgd("m")));
      for (int i = 1; i <= 3; i++) {
        AccountingEvent event = ledger.judge(TestRecords.report("ada", i, "m", 0.5, 0));
        assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
        assertThat(event.getUserTotals().getReports()).isEqualTo(i);
        ledger.barrier();
      }
    }
  }
}
