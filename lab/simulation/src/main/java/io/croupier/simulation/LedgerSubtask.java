package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.LedgerOperator;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.model.RoundSum;
import io.croupier.simulation.TransactionalSink.SinkState;
import java.time.Duration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** A subtask of the ledger, with its pre-aggregation and the sink of accounting events. */
final class LedgerSubtask extends Subtask {
  private static final UserOfRecord USER = new UserOfRecord();

  private final OperatorSubtaskState restored;
  private LedgerOperator operator;
  private OperatorTask<RoundSum> ledger;
  private PreAggregator preAggregator;
  private OperatorTask<RoundSum> sums;

  LedgerSubtask(
      SimulatedJob job,
      int index,
      int edges,
      StartOutputs outputs,
      OperatorSubtaskState restored,
      SinkState sink) {
    super(job, index, edges, outputs, sink);
    this.restored = restored;
  }

  @Override
  String name() {
    return "ledger " + index;
  }

  @Override
  TransactionalSink sink(SinkState state) {
    return job.parts()
        .sink(
            job.world().log(),
            OutputSink.LEDGER.transactions(World.TOPICS.updates()),
            index,
            job.ledgers(),
            state);
  }

  @Override
  void open() throws Exception {
    LedgerOperator next = job.parts().ledger(job.world(), outputs, LedgerStart.REQUIRE_STATE);
    OperatorTask<RoundSum> task = new OperatorTask<>(next, job.ledgers(), index, USER, null);
    task.setProcessingTime(job.nowMs());
    task.setup();
    if (restored != null) {
      task.initializeState(restored);
    }
    task.open();
    operator = next;
    ledger = task;
    preAggregator = job.parts().preAggregator(Duration.ofMillis(World.PRE_AGGREGATION_MS));
    sums = new OperatorTask<>(preAggregator, job.ledgers(), index);
    sums.setProcessingTime(job.nowMs());
    sums.setup();
    sums.open();
  }

  @Override
  void take(Object element, int edge) throws Exception {
    tick();
    if (element instanceof RawRecord raw) {
      StreamRecord<RawRecord> record = new StreamRecord<>(raw);
      operator.setKeyContextElement1(record);
      operator.processElement1(record);
    } else {
      StreamRecord<SpecRecord> record = new StreamRecord<>((SpecRecord) element);
      operator.setKeyContextElement2(record);
      operator.processElement2(record);
    }
    drain();
  }

  /** Lets timers fire. */
  void tick() throws Exception {
    ledger.setProcessingTime(job.nowMs());
    sums.setProcessingTime(job.nowMs());
  }

  private void drain() throws Exception {
    write(ledger.drain(SideOutputs.LEDGER));
    for (RoundSum sum : ledger.drain()) {
      preAggregator.processElement(new StreamRecord<>(sum));
    }
    sums.drain().forEach(sum -> job.toLearner(index, sum));
  }

  @Override
  void beforeBarrier(long checkpoint) throws Exception {
    tick();
    ledger.prepareSnapshotPreBarrier(checkpoint);
    drain();
    job.parts().flush(sums, checkpoint);
    drain();
  }

  @Override
  void emitBarrier(Barrier barrier) {
    job.toLearners(index, barrier);
  }

  @Override
  OperatorSubtaskState snapshot(long checkpoint) throws Exception {
    return ledger.snapshot(checkpoint, job.nowMs());
  }

  @Override
  void completed(long checkpoint) throws Exception {
    ledger.notifyOfCompletedCheckpoint(checkpoint);
  }

  @Override
  void close() throws Exception {
    if (ledger != null) {
      ledger.close();
      sums.close();
    }
  }
}
