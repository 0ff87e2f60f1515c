package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.OutboundRecord;
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
            job.world().tasks(),
            job.parts().ledger(job.world(), outputs, LedgerStart.REQUIRE_STATE),
            job.ledgers(),
            index,
            USER,
            null);
    return ledger;
  }

  @Override
  void opened() throws Exception {
    if (index == 0) {
      checkStart();
    }
    stops = new StopsRead();
    job.world().followed(World.TOPICS.stops()).forEach(stops::read);
    super.opened();
  }

  private void checkStart() {
    BrokerSteps brokers = job.world().brokers();
    if (job.hasLostEvents()
        && brokers.keptProgressSince(job.restoredId())
        && ledger.gauge("lost-ranges") == 0) {
      throw new WorldFinding(17, "A start doesn't miss events that the brokers have aborted");
    }
    long skipped = ledger.gauge("skipped-offsets");
    if (skipped < brokers.missed(job) || skipped > brokers.deleted()) {
      throw new WorldFinding(
          18,
          "A start passes over %d offsets, of %d that are deleted and at least %d that it misses"
              .formatted(skipped, brokers.deleted(), brokers.missed(job)));
    }
  }

  @Override
  void take(Object element) throws Exception {
    super.take(element); // first judges what arrived before the stop
    if (element instanceof SpecRecord record && record.topic.equals(World.TOPICS.stops())) {
      stops.read(record);
    }
  }

  @Override
  void drainOthers(OperatorTask<RoundSum> admitting) throws Exception {
    List<OutboundRecord> written = admitting.drainSide();
    stops.check(written);
    write(written);
  }
}
