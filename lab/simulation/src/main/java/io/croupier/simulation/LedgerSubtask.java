package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SideOutputs;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.model.RoundSum;
import java.util.List;

/** A subtask of the ledger, with its pre-aggregation and the sink of accounting events. */
final class LedgerSubtask extends AdmittingSubtask {
  private static final UserOfRecord USER = new UserOfRecord();

  private OperatorTask<RoundSum> ledger;
  private StopsRead stops;

  LedgerSubtask(SimulatedJob job, int index, int edges, StartOutputs outputs, TaskState restored) {
    super(job, index, edges, index, outputs, restored);
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
  String transactions() {
    return OutputSink.LEDGER.transactions(World.TOPICS.updates());
  }

  @Override
  OperatorTask<RoundSum> createAdmitting() throws Exception {
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
    if (index == 0 && job.hasLostEvents() && ledger.gauge("lost-ranges") == 0) {
      throw new WorldFinding(17, "A start doesn't miss events that the brokers have aborted");
    }
    stops = new StopsRead();
    job.world().followed(World.TOPICS.stops()).forEach(stops::read);
    super.opened();
  }

  @Override
  void take(Object element) throws Exception {
    if (element instanceof SpecRecord record && record.topic.equals(World.TOPICS.stops())) {
      stops.read(record);
    }
    super.take(element);
  }

  @Override
  void drainOthers(OperatorTask<RoundSum> admitting) throws Exception {
    List<OutboundRecord> written = admitting.drain(SideOutputs.LEDGER);
    stops.check(written);
    write(written);
  }
}
