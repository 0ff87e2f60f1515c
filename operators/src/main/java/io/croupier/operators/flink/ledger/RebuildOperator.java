package io.croupier.operators.flink.ledger;

import io.croupier.operators.accounting.AccountRebuild;
import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.restart.AccountingRecords;
import io.croupier.operators.flink.restart.LedgerProgress;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds up the accounts of its users from accounting events, in the state that {@link
 * LedgerOperator} restores. Input 1 carries the events up to a recorded end, keyed by user, and
 * ends there. Input 2 never ends, so that the operator keeps its state, and carries the events
 * after that end: there are none unless another job runs. Emits nothing; {@link RebuildResult} is
 * what its accumulators contain.
 */
public final class RebuildOperator extends AbstractStreamOperator<Integer>
    implements TwoInputStreamOperator<RawRecord, RawRecord, Integer>, BoundedMultiInput {
  private static final long serialVersionUID = 1;
  private static final Logger PROGRESS = LoggerFactory.getLogger(RebuildOperator.class);

  private final TopicEnd end;

  private transient ListState<LedgerMark> storedMarks;
  private transient KeyedAccount account;
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
    storedMarks =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    StateNames.LEDGER_MARKS, TypeInformation.of(LedgerMark.class)));
    List<LedgerMark> marks = new ArrayList<>();
    storedMarks.get().forEach(marks::add);
    marks.forEach(this::requireSameRebuild);
    account = new KeyedAccount(context.getKeyedStateStore(), null);
    progress = new LedgerProgress(marks, now(), 0, TopicEnd.UNKNOWN);
    added = new LongCounter();
    differing = new LongCounter();
    if (subtask() == 0) {
      marks.forEach(mark -> added.add(mark.eventsAdded));
      PROGRESS.info(
          "The accounts contain {} events of the accounting topic, and more are being added",
          added.getLocalValuePrimitive());
    }
    getRuntimeContext().addAccumulator(RebuildResult.ADDED, added);
    getRuntimeContext().addAccumulator(RebuildResult.DIFFERING, differing);
    getMetricGroup().gauge("events-added", (Gauge<Long>) added::getLocalValuePrimitive);
  }

  private void requireSameRebuild(LedgerMark mark) {
    TopicEnd recorded =
        new TopicEnd(
            mark.accountingIdHigh,
            mark.accountingIdLow,
            Arrays.stream(mark.confirmedEnds).boxed().toList());
    if (!mark.rebuilt || !recorded.equals(end)) {
      throw new RefusedStartException(
          "The restored state is not one of this rebuild: it has another end of the accounting"
              + " topic. Delete the checkpoints of the earlier rebuild");
    }
  }

  @Override
  public void processElement1(StreamRecord<RawRecord> element) {
    RawRecord record = element.getValue();
    AccountingEvent event =
        AccountingRecords.event(
            record.topic, record.partition, record.offset, record.key, record.value);
    if (!event.getUserId().equals(getCurrentKey())) {
      throw AccountingRecords.odd(
          record.topic, record.partition, record.offset, "it names several users");
    }
    account.load();
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
              + " accounting events are read. Start without state and with --rebuild-ledger, which"
              + " continues from its last checkpoint");
    }
    complete = true;
    RebuildResult.SubtaskEnd mine = new RebuildResult.SubtaskEnd();
    progress.forEachJudgedBefore(mine::highest);
    mine.register(subtask(), parallelism(), getRuntimeContext()::addAccumulator);
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
    mark.eventsAdded = added.getLocalValuePrimitive();
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
