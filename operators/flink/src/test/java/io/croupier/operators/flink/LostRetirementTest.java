package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.learner.LearnerTasks;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model was retired while the job was down, and the topic no longer has the retirement. */
class LostRetirementTest {
  private static final ModelSpec.Builder SPEC = TestRecords.sgd("m");

  /** A topic without records, though it had those of every known model. */
  private static final class Compacted implements SpecReader {
    private static final long serialVersionUID = 1;

    @Override
    public List<SpecRecord> readToEnd() {
      return List.of();
    }

    @Override
    public List<SpecRecord> readToEnd(Map<String, Long> known) {
      return known.entrySet().stream()
          .map(model -> TestRecords.retired(model.getValue() + 1, model.getKey()))
          .toList();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void theLedgerNoLongerAdmitsReportsToIt(Plan plan) throws Exception {
    try (LedgerTasks ledger = new LedgerTasks(Backend.HASH_MAP, plan, new Compacted())) {
      ledger.publish(3, SPEC);
      assertThat(ledger.outcome("user-1", 1, "m")).isEqualTo(Outcome.ADMITTED);
      ledger.barrier();

      assertThat(ledger.outcome("user-1", 2, "m")).isEqualTo(Outcome.REFUSED_UNKNOWN_MODEL);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void theLearnerRemovesItsUpdateAndASuccessorBeginsAnew(Plan plan) throws Exception {
    try (LearnerTasks learner = new LearnerTasks(plan, new Compacted())) {
      learner.publish(3, SPEC);
      learner.barrier();
      RoundSum sum = TestRecords.dense("m", 0, 1, 0);
      sum.specOffset = 3;
      learner.report(sum);
      assertThat(learner.outputs()).hasSize(1);
      learner.barrier();

      assertThat(learner.outputs()).as("the update, and its removal").hasSize(2);
      assertThat(learner.outputs().get(1).value).isNull();
      assertThat(learner.stored("m")).noneMatch(name -> name.startsWith("model/"));
      learner.publish(9, SPEC);
      learner.barrier();
      assertThat(learner.lastUpdate().getUsed()).isZero();
      assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    }
  }

  /** No barrier need lie between the start of the job and the spec. */
  @ParameterizedTest
  @EnumSource(names = {"RESTORED", "RESCALED"})
  void aSuccessorThatIsPublishedBeforeTheFirstBarrierBeginsAnew(Plan plan) throws Exception {
    try (LearnerTasks learner = new LearnerTasks(plan, new Compacted())) {
      learner.publish(3, SPEC);
      learner.barrier();
      learner.publish(9, SPEC.clone().setDimension(2));
      learner.barrier();

      assertThat(learner.outputs()).as("the update, its removal, the successor's").hasSize(3);
      assertThat(learner.outputs().get(1).value).isNull();
      assertThat(learner.lastUpdate().getWeightsCount()).isEqualTo(2);
      assertThat(learner.lastUpdate().getRound()).isEqualTo(1);
    }
  }

  @Test
  void aTopicThatHasItsSpecChangesNothing() throws Exception {
    try (LearnerTasks learner = new LearnerTasks(Plan.RESTORED, () -> List.of())) {
      learner.publish(3, SPEC);
      learner.barrier();
      learner.barrier();
      assertThat(learner.outputs()).hasSize(1);
      assertThat(learner.stored("m")).contains("spec");
    }
  }
}
