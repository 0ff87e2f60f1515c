package io.croupier.simulation;

import io.croupier.job.kafka.OutputSink;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.model.RoundSum;
import org.apache.flink.api.java.functions.KeySelector;

/** A subtask of the learner, with the sink of updates. */
final class LearnerSubtask extends Subtask {
  private static final KeySelector<RoundSum, String> MODEL_OF_SUM = sum -> sum.modelId;
  private static final KeySelector<SpecRecord, String> MODEL_OF_SPEC = spec -> spec.modelId;

  private OperatorTask<OutboundRecord> learner;

  LearnerSubtask(SimulatedJob job, int index, int edges, StartOutputs outputs, TaskState restored) {
    super(job, index, edges, outputs, restored);
  }

  @Override
  String name() {
    return "learner " + index;
  }

  @Override
  int parallelism() {
    return job.learners();
  }

  @Override
  String transactions() {
    return OutputSink.LEARNER.transactions(World.TOPICS.updates());
  }

  @Override
  OperatorTask<?> create() throws Exception {
    learner =
        new OperatorTask<>(
            job.world().tasks(),
            job.parts().learner(job.world(), outputs),
            job.learners(),
            index,
            MODEL_OF_SUM,
            MODEL_OF_SPEC);
    return learner;
  }

  @Override
  void opened() {
    // The last vertex.
  }

  @Override
  void drain() {
    write(learner.drain());
  }

  @Override
  void beforeBarrier(long checkpoint) {
    // The last vertex.
  }

  @Override
  void emitBarrier(Barrier barrier) {
    // The last vertex.
  }

  @Override
  void close() {
    // The last vertex.
  }
}
