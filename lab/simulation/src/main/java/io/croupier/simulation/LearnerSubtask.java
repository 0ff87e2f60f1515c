package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.learner.LearnerOperator;
import io.croupier.operators.model.RoundSum;
import io.croupier.simulation.TransactionalSink.SinkState;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** A subtask of the learner, with the sink of updates. */
final class LearnerSubtask extends Subtask {
  private static final KeySelector<RoundSum, String> MODEL_OF_SUM = sum -> sum.modelId;
  private static final KeySelector<SpecRecord, String> MODEL_OF_SPEC = spec -> spec.modelId;

  private final OperatorSubtaskState restored;
  private LearnerOperator operator;
  private OperatorTask<OutboundRecord> learner;

  LearnerSubtask(
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
    return "learner " + index;
  }

  @Override
  TransactionalSink sink(SinkState state) {
    return job.parts()
        .sink(
            job.world().log(),
            OutputSink.LEARNER.transactions(World.TOPICS.updates()),
            index,
            job.learners(),
            state);
  }

  @Override
  void open() throws Exception {
    LearnerOperator next = job.parts().learner(job.world(), outputs);
    OperatorTask<OutboundRecord> task =
        new OperatorTask<>(next, job.learners(), index, MODEL_OF_SUM, MODEL_OF_SPEC);
    task.setProcessingTime(job.nowMs());
    task.setup();
    if (restored != null) {
      task.initializeState(restored);
    }
    task.open();
    operator = next;
    learner = task;
  }

  @Override
  void take(Object element, int edge) throws Exception {
    learner.setProcessingTime(job.nowMs());
    if (element instanceof RoundSum sum) {
      StreamRecord<RoundSum> record = new StreamRecord<>(sum);
      operator.setKeyContextElement1(record);
      operator.processElement1(record);
    } else {
      StreamRecord<SpecRecord> record = new StreamRecord<>((SpecRecord) element);
      operator.setKeyContextElement2(record);
      operator.processElement2(record);
    }
    write(learner.drain());
  }

  @Override
  void beforeBarrier(long checkpoint) throws Exception {
    learner.setProcessingTime(job.nowMs());
    learner.prepareSnapshotPreBarrier(checkpoint);
    write(learner.drain());
  }

  @Override
  void emitBarrier(Barrier barrier) {
    // The last vertex.
  }

  @Override
  OperatorSubtaskState snapshot(long checkpoint) throws Exception {
    return learner.snapshot(checkpoint, job.nowMs());
  }

  @Override
  void completed(long checkpoint) throws Exception {
    learner.notifyOfCompletedCheckpoint(checkpoint);
  }

  @Override
  void close() throws Exception {
    if (learner != null) {
      learner.close();
    }
  }
}
