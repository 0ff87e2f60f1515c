package io.croupier.operators.flink.learner;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The set-up of tests with one learner operator that runs until the end of the test. */
abstract class UninterruptedLearner {
  LearnerTasks learner;

  @BeforeEach
  void start() throws Exception {
    learner = new LearnerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, journal());
  }

  @AfterEach
  void close() {
    learner.close();
  }

  /** The journal of the first learner of a test. */
  JournalSettings journal() {
    return JournalSettings.OFF;
  }

  /** Publishes a model, and its first round. */
  final void run(ModelSpec.Builder spec) throws Exception {
    learner.publish(0, spec);
    learner.barrier();
  }

  /** Ends the inputs. */
  final void end() throws Exception {
    learner.onEach(harness -> harness.endAllInputs());
  }

  /** All updates so far. */
  final List<ModelUpdate> updates() {
    return TestRecords.updates(learner.outputs());
  }
}
