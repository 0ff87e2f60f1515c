package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.learner.LearnerTasks;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A job refuses a spec with the advice how to configure the job. It runs the model once it was
 * stopped, configured, and started from its state.
 */
class ConfiguredRestartTest {
  /** The models topic. Operators are copied, and their readers with them. */
  private static final List<SpecRecord> TOPIC = new ArrayList<>();

  @BeforeEach
  void clear() {
    TOPIC.clear();
  }

  private static SpecRecord publish() {
    TOPIC.add(TestRecords.published(3, TestRecords.central("m")));
    return TOPIC.get(0);
  }

  private static void configure(Subtasks<?, ?> tasks, int tolerated) throws Exception {
    tasks.job.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, tolerated);
    tasks.barrier();
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void theLedgerKnowsTheModel(Plan plan) throws Exception {
    try (LedgerTasks ledger = new LedgerTasks(Backend.HASH_MAP, plan, () -> List.copyOf(TOPIC))) {
      configure(ledger, 1);
      ledger.publish(publish());
      assertThat(ledger.outcome("user-1", 1, "m")).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
      configure(ledger, 0);

      assertThat(ledger.outcome("user-1", 2, "m")).isEqualTo(Outcome.REFUSED_DECLARATION);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void theLearnerPublishesIt(Plan plan) throws Exception {
    try (LearnerTasks learner = new LearnerTasks(plan, () -> List.copyOf(TOPIC))) {
      configure(learner, 1);
      learner.publish(publish());
      learner.barrier();
      assertThat(learner.updates()).isEmpty();
      configure(learner, 0);

      learner.barrier();
      assertThat(learner.lastUpdate().getModelId()).isEqualTo("m");
      assertThat(learner.lastUpdate().getRound()).isZero();
    }
  }
}
