package io.croupier.simulation;

import io.croupier.operators.flink.spend.NonceOfRecord;
import io.croupier.operators.model.RoundSum;

/** A subtask that admits anonymous reports, with its pre-aggregation. It writes nothing. */
final class SpendSubtask extends AdmittingSubtask {
  private static final NonceOfRecord NONCE = new NonceOfRecord();

  SpendSubtask(SimulatedJob job, int index, int edges, StartOutputs outputs, TaskState restored) {
    super(job, index, edges, job.ledgers() + 1 + index, outputs, restored);
  }

  @Override
  String name() {
    return "spend " + index;
  }

  @Override
  int parallelism() {
    return job.spends();
  }

  /** Of a sink that no record reaches. */
  @Override
  String transactions() {
    return "spend";
  }

  @Override
  OperatorTask<RoundSum> createAdmitting() throws Exception {
    return new OperatorTask<>(
        job.world().tasks(), job.parts().spend(job.world()), job.spends(), index, NONCE, null);
  }

  @Override
  void drainOthers(OperatorTask<RoundSum> admitting) {
    // There is nothing else.
  }
}
