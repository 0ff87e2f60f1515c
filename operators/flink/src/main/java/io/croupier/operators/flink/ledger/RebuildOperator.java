package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.ledger.RebuildResult.AccountedPosition;
import io.croupier.operators.flink.ledger.RebuildResult.SubtaskEnd;
import io.croupier.operators.flink.restart.AccountingRecords;
import io.croupier.operators.flink.restart.LedgerProgress;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.ledger.AccountRebuild;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.accumulators.ListAccumulator;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up the accounts of its users from accounting events, in the state that {@link
 * LedgerOperator} restores. Input 1 carries the events up to a recorded end, keyed by user, and
 * ends there. Input 2 never ends, so that the operator keeps its state, and carries the events
 * after that end: there are none unless another job runs. Emits nothing; {@link RebuildResult} is
 * what its accumulators contain. It restores no state: a rebuild that fails begins anew.
 */
public final class RebuildOperator extends AbstractStreamOperator<Integer>
    implements TwoInputStreamOperator<RawRecord, RawRecord, Integer>, BoundedMultiInput {
  private static final long serialVersionUID = 1;

  private final TopicEnd end;

  private transient ListState<LedgerMark> storedMarks;
  private transient KeyedAccounts accounts;
  private transient LedgerProgress progress;
  private transient LongCounter added;
  private transient LongCounter differing;
  private transient boolean complete;

  /**
   * Creates the operator.
   *
   * @param end the recorded end of the accounting topic
   */
  public RebuildOperator(TopicEnd end) {
    this.end = end;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    if (context.isRestored()) {
      // Flink restarts a job from its newest savepoint, too.
      throw new RefusedStartException(
          "A rebuild of the ledger doesn't continue from a savepoint of its own. Start again"
              + " without state and with --rebuild-ledger");
    }
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
    accounts = new KeyedAccounts(context.getKeyedStateStore(), null);
    progress = new LedgerProgress(List.of(), now(), 0, TopicEnd.UNKNOWN);
    added = new LongCounter();
    differing = new LongCounter();
    getRuntimeContext().addAccumulator(RebuildResult.ADDED, added);
    getRuntimeContext().addAccumulator(RebuildResult.DIFFERING, differing);
    getMetricGroup().gauge("events-added", (Gauge<Long>) added::getLocalValuePrimitive);
  }

  @Override
  public void processElement1(StreamRecord<RawRecord> element) {
    RawRecord record = element.getValue();
    if (AccountingRecords.isDeletion(
        record.topic, record.partition, record.offset, record.key, record.value)) {
      if (AccountingKey.isOfErasure(record.key)) {
        accounts.forget();
      }
      return;
    }
    AccountingEvent event =
        AccountingRecords.event(
            record.topic, record.partition, record.offset, record.key, record.value);
    if (!event.getUserId().equals(getCurrentKey())) {
      throw AccountingRecords.odd(
          record.topic, record.partition, record.offset, "it names several users");
    }
    KeyedAccount account = accounts.load();
    try {
      if (!AccountRebuild.apply(event, account)) {
        differing.add(1);
      }
    } catch (IllegalArgumentException e) {
      throw AccountingRecords.odd(record.topic, record.partition, record.offset, e.getMessage());
    }
    account.store();
    added.add(1);
    Position source = event.getSource();
    progress.judgedBefore(source.getTopic(), source.getPartition(), source.getOffset());
  }

  @Override
  public void processElement2(StreamRecord<RawRecord> element) {
    RawRecord record = element.getValue();
    throw new RefusedStartException(
        "The accounting topic has received the record %s-%d@%d while the ledger is being rebuilt:"
                .formatted(record.topic, record.partition, record.offset)
            + " another job runs on it. Stop that job, and start again with its state");
  }

  /** At the end of input 1, the accounts of this subtask's users contain all their events. */
  @Override
  public void endInput(int input) {
    if (input != 1) {
      // A stop with a drain ends both inputs, wherever they are.
      throw new RefusedStartException(
          "The rebuild of the ledger was stopped with a drain, which may end it before all"
              + " accounting events are read. Start again without state and with --rebuild-ledger");
    }
    complete = true;
    List<AccountedPosition> highest = new ArrayList<>();
    progress.forEachJudgedBefore(
        (topic, partition, offset) -> highest.add(new AccountedPosition(topic, partition, offset)));
    ListAccumulator<SubtaskEnd> mine = new ListAccumulator<>();
    mine.add(new SubtaskEnd(subtask(), parallelism(), highest));
    getRuntimeContext().addAccumulator(RebuildResult.COMPLETE, mine);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    LedgerMark mark = progress.mark(now(), subtask(), parallelism());
    mark.accountingIdHigh = end.idHigh();
    mark.accountingIdLow = end.idLow();
    mark.confirmedEnds = end.offsets().stream().mapToLong(Long::longValue).toArray();
    mark.noFormerDigests = true;
    mark.rebuilt = true;
    mark.eventsMissing = !complete;
    storedMarks.update(List.of(mark));
  }

  private int subtask() {
    return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
  }

  private int parallelism() {
    return getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
  }

  private long now() {
    return getProcessingTimeService().getCurrentProcessingTime();
  }
}
