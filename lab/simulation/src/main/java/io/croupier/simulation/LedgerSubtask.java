package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.model.RoundSum;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** A subtask of the ledger, with its pre-aggregation and the sink of accounting events. */
final class LedgerSubtask extends Subtask {
  private static final UserOfRecord USER = new UserOfRecord();

  private OperatorTask<RoundSum> ledger;
  private PreAggregator preAggregator;
  private OperatorTask<RoundSum> sums;
  private StopsRead stops;

  LedgerSubtask(SimulatedJob job, int index, int edges, StartOutputs outputs, TaskState restored) {
    super(job, index, edges, outputs, restored);
  }

  @Override
  String name() {
    return "ledger " + index;
  }

  @Override
  int parallelism() {
    return job.ledgers();
  }

  @Override
  OutputSink sink() {
    return OutputSink.LEDGER;
  }

  @Override
  OperatorTask<?> create() throws Exception {
    ledger =
        new OperatorTask<>(
            job.parts().ledger(job.world(), outputs, LedgerStart.REQUIRE_STATE),
            job.ledgers(),
            index,
            USER,
            null);
    return ledger;
  }

  @Override
  void opened() throws Exception {
    stops = new StopsRead();
    job.world().followed(World.TOPICS.stops()).forEach(stops::read);
    preAggregator = job.parts().preAggregator(Duration.ofMillis(World.PRE_AGGREGATION_MS));
    sums = new OperatorTask<>(preAggregator, job.ledgers(), index);
    sums.start(null, job.nowMs());
  }

  @Override
  void tick() throws Exception {
    super.tick();
    sums.setProcessingTime(job.nowMs());
  }

  @Override
  void take(Object element) throws Exception {
    if (element instanceof SpecRecord record && record.topic.equals(World.TOPICS.stops())) {
      stops.read(record);
    }
    super.take(element);
  }

  @Override
  void drain() throws Exception {
    List<OutboundRecord> written = ledger.drain(SideOutputs.LEDGER);
    stops.check(written);
    write(written);
    for (RoundSum sum : ledger.drain()) {
      preAggregator.processElement(new StreamRecord<>(sum));
    }
    sums.drain().forEach(sum -> job.toLearner(index, sum));
  }

  @Override
  void beforeBarrier(long checkpoint) throws Exception {
    job.parts().flush(sums, checkpoint);
    drain();
  }

  @Override
  void emitBarrier(Barrier barrier) {
    job.toLearners(index, barrier);
  }

  @Override
  void close() throws Exception {
    sums.close();
  }
}
