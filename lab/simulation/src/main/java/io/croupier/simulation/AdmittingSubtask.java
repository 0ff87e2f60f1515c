package io.croupier.simulation;

import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.model.RoundSum;
import java.time.Duration;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** A subtask that admits reports, with the pre-aggregation of what it admits. */
abstract class AdmittingSubtask extends Subtask {
  private final int edgeAtLearners;
  private OperatorTask<RoundSum> admitting;
  private PreAggregator preAggregator;
  private OperatorTask<RoundSum> sums;

  /**
   * Creates a subtask, which doesn't run yet.
   *
   * @param edgeAtLearners the number of its edge to each learner
   */
  AdmittingSubtask(
      SimulatedJob job,
      int index,
      int edges,
      int edgeAtLearners,
      StartOutputs outputs,
      TaskState restored) {
    super(job, index, edges, outputs, restored);
    this.edgeAtLearners = edgeAtLearners;
  }

  /** Creates the operator that admits. */
  abstract OperatorTask<RoundSum> createAdmitting() throws Exception;

  /** Takes what it emits beside the admitted reports. */
  abstract void drainOthers(OperatorTask<RoundSum> admitting) throws Exception;

  @Override
  final OperatorTask<?> create() throws Exception {
    admitting = createAdmitting();
    return admitting;
  }

  @Override
  void opened() throws Exception {
    preAggregator = job.parts().preAggregator(Duration.ofMillis(World.PRE_AGGREGATION_MS));
    sums = new OperatorTask<>(job.world().tasks(), preAggregator, parallelism(), index);
    sums.start(null, job.nowMs());
  }

  @Override
  final void tick() throws Exception {
    super.tick();
    sums.setProcessingTime(job.nowMs());
  }

  @Override
  final void drain() throws Exception {
    drainOthers(admitting);
    for (RoundSum sum : admitting.drain()) {
      preAggregator.processElement(new StreamRecord<>(sum));
    }
    sums.drain().forEach(sum -> job.toLearner(edgeAtLearners, sum));
  }

  @Override
  final void beforeBarrier(long checkpoint) throws Exception {
    job.parts().flush(sums, checkpoint);
    drain();
  }

  @Override
  final void emitBarrier(Barrier barrier) {
    job.toLearners(edgeAtLearners, barrier);
  }

  @Override
  final void close() throws Exception {
    sums.close();
  }
}
