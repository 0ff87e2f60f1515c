package io.croupier.operators.flink.ledger;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.accounting.DailyTotals;
import io.croupier.operators.accounting.DeviceWindow;
import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.operators.accounting.WholeCharge;
import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Decoded;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.KeyedStateStore;
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

/** A ledger that keeps accounts in the states, classes and formats of release 0.1.0. */
final class FormerLedger extends AbstractStreamOperator<RoundSum>
    implements TwoInputStreamOperator<RawRecord, SpecRecord, RoundSum> {
  private static final long serialVersionUID = 1;

  /** The low half of digests, which the moved windows don't contain. */
  private static final long LOW = 0x5a5a;

  private transient Account account;
  private transient PublishedSpecs specs;
  private transient Map<String, ReportIntake> intakes;
  private transient BroadcastState<String, PublishedSpec> storedSpecs;
  private transient ListState<LedgerMark> marks;

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    account = new Account(context.getKeyedStateStore());
    specs = new PublishedSpecs(spec -> List.of());
    intakes = new HashMap<>();
    storedSpecs =
        context
            .getOperatorStateStore()
            .getBroadcastState(
                new MapStateDescriptor<>(
                    StateNames.SPECS, Types.STRING, TypeInformation.of(PublishedSpec.class)));
    for (Map.Entry<String, PublishedSpec> entry : storedSpecs.entries()) {
      specs.restore(entry.getKey(), entry.getValue());
      open(entry.getKey());
    }
    marks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
  }

  private void open(String modelId) {
    specs.spec(modelId).ifPresent(spec -> intakes.put(modelId, new ReportIntake(spec, 0)));
  }

  @Override
  public void processElement1(StreamRecord<RawRecord> element) {
    RawRecord record = element.getValue();
    Report report =
        ((Decoded.WellFormed)
                new ReportDecoder(TestRecords.TOPICS.rawGradients())
                    .decode(
                        record.key, record.value, record.topic, record.partition, record.offset))
            .report();
    account.digest = report.digest;
    AccountingEvent event =
        intakes.containsKey(report.modelId)
            ? new Ledger().judge(report, intakes.get(report.modelId).terms(), account)
            : new Ledger().judgeUnknownModel(report, account);
    output.collect(
        SideOutputs.LEDGER,
        new StreamRecord<>(
            new OutboundRecord(
                Destination.ACCOUNTING,
                AccountingKey.of(event),
                new AccountingEventWriter().write(event))));
  }

  @Override
  public void processElement2(StreamRecord<SpecRecord> element) {
    SpecRecord record = element.getValue();
    specs.apply(record.modelId, record.offset, record.value);
    open(record.modelId);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    storedSpecs.putAll(specs.entries());
    marks.update(List.of(new LedgerMark()));
  }

  private interface Access<T> {
    T run() throws Exception;
  }

  private static <T> T access(Access<T> state, T absent) {
    try {
      T value = state.run();
      return value == null ? absent : value;
    } catch (Exception e) {
      throw new AssertionError("A state that can't be accessed", e);
    }
  }

  private static <T> void put(MapState<String, T> state, String name, T value) {
    StateAccess.write(() -> state.put(name, value));
  }

  /** The account of the current user. */
  private static final class Account implements UserAccount {
    private final ValueState<Totals> user;
    private final MapState<String, Totals> models;
    private final MapState<String, RunningZeta> zetas;
    private final MapState<String, WholeCharge> wholeCharges;
    private final MapState<String, ReplayWindow> windows;

    /** That of the report that is judged. */
    private long digest;

    Account(KeyedStateStore state) {
      user =
          state.getState(
              new ValueStateDescriptor<>("user-totals", TypeInformation.of(Totals.class)));
      models = map(state, "model-totals", Totals.class);
      zetas = map(state, "running-zetas", RunningZeta.class);
      wholeCharges = map(state, "whole-charges", WholeCharge.class);
      windows = map(state, "replay-windows", ReplayWindow.class);
    }

    private static <T> MapState<String, T> map(KeyedStateStore state, String name, Class<T> type) {
      return state.getMapState(
          new MapStateDescriptor<>(name, Types.STRING, TypeInformation.of(type)));
    }

    @Override
    public void erase(DailyTotals days) {
      throw new AssertionError("that release erased no accounts");
    }

    @Override
    public boolean isErased() {
      return false;
    }

    @Override
    public Totals userTotals() {
      return access(user::value, new Totals());
    }

    @Override
    public void storeUserTotals(Totals totals) {
      StateAccess.write(() -> user.update(totals));
    }

    @Override
    public Totals modelTotals(String modelId) {
      return access(() -> models.get(modelId), new Totals());
    }

    @Override
    public void storeModelTotals(String modelId, Totals totals) {
      put(models, modelId, totals);
    }

    @Override
    public DailyTotals userDays() {
      return new DailyTotals();
    }

    @Override
    public void storeUserDays(DailyTotals days) {
      throw new AssertionError("that release had no periods");
    }

    @Override
    public DailyTotals modelDays(String modelId) {
      return new DailyTotals();
    }

    @Override
    public void storeModelDays(String modelId, DailyTotals days) {
      throw new AssertionError("that release had no periods");
    }

    @Override
    public RunningZeta runningZeta(String modelId) {
      return access(() -> zetas.get(modelId), new RunningZeta());
    }

    @Override
    public void storeRunningZeta(String modelId, RunningZeta running) {
      put(zetas, modelId, running);
    }

    @Override
    public WholeCharge wholeCharge(String modelId) {
      return access(() -> wholeCharges.get(modelId), new WholeCharge());
    }

    @Override
    public void storeWholeCharge(String modelId, WholeCharge charge) {
      put(wholeCharges, modelId, charge);
    }

    @Override
    public DeviceWindow window(String deviceId) {
      return access(() -> windows.get(deviceId), new ReplayWindow()).move(deviceId);
    }

    @Override
    public void storeWindow(DeviceWindow window) {
      ReplayWindow before = access(() -> windows.get(window.deviceId), new ReplayWindow());
      ReplayWindow former = new ReplayWindow();
      former.highest = window.highest;
      former.judged = window.judged;
      former.lowest = window.lowest;
      former.digests = new long[2 * Long.bitCount(window.judged)];
      int at = 0;
      for (int age = 0; age < Long.SIZE; age++) {
        if ((window.judged >>> age & 1) != 0) {
          former.digests[at++] = digest(before, window.highest - age);
          former.digests[at++] = LOW;
        }
      }
      put(windows, window.deviceId, former);
    }

    /** The digest of a number: that of this report, unless it was judged before. */
    private long digest(ReplayWindow before, long sequence) {
      long age = before.highest - sequence;
      return age < 0 || age >= Long.SIZE || (before.judged >>> age & 1) == 0
          ? digest
          : before.digests[2 * Long.bitCount(before.judged & (1L << age) - 1)];
    }
  }
}
