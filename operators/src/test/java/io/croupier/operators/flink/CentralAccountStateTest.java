package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.Limits;
import io.croupier.schemas.PrefixSumNoise;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was charged for a tree goes on after a restart: the account that the ledger keeps. */
class CentralAccountStateTest {

  /** Judges reports to a central model, and tells what each added to its user's zeta. */
  private static final class Judge extends AbstractStreamOperator<String>
      implements OneInputStreamOperator<Report, String> {
    private static final long serialVersionUID = 1;

    private transient KeyedAccount account;
    private transient ReportIntake intake;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      account = LedgerOperator.account(context.getKeyedStateStore());
      intake =
          new ReportIntake(
              TestRecords.common("m")
                  .setDpFtrl(
                      DpFtrl.newBuilder()
                          .setClipNorm(1)
                          .setLearningRate(1)
                          .setNoiseMultiplier(2)
                          .setNoise(
                              PrefixSumNoise.newBuilder()
                                  .setTree(PrefixSumNoise.Tree.getDefaultInstance()))
                          .setRestartEvery(8))
                  .setLimits(
                      Limits.newBuilder()
                          .setDelta(1e-6)
                          .setMaxParticipations(9)
                          .setMinSeparation(0))
                  .build(),
              0);
    }

    @Override
    public void processElement(StreamRecord<Report> element) {
      Report report = element.getValue();
      double zeta = new Ledger().judge(report, intake.terms(), account).getCentralSpend().getZeta();
      output.collect(
          new StreamRecord<>("%s %d: %.0f".formatted(report.userId, report.round, zeta)));
    }
  }

  private static List<String> judged(Backend backend, Plan plan) throws Exception {
    try (var tasks =
        new Subtasks<String, KeyedOneInputStreamOperatorTestHarness<String, Report, String>>(
            (keyGroups, parallelism, index) ->
                new KeyedOneInputStreamOperatorTestHarness<>(
                    new Judge(),
                    report -> report.userId,
                    Types.STRING,
                    keyGroups,
                    parallelism,
                    index),
            backend,
            plan,
            null)) {
      for (int round = 0; round < 10; round++) {
        for (String user : new String[] {"ada", "bob"}) {
          if (round % 2 == 0 || user.equals("ada")) {
            Report report = TestRecords.report(user, round, "m", 0, 0);
            report.declaration = Declaration.CENTRAL;
            report.round = round;
            tasks.on(user, harness -> harness.processElement(report, 0));
          }
        }
        tasks.barrier();
      }
      return tasks.outputs();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HASH_MAP, RESTORED",
    "HASH_MAP, RESCALED",
    "ROCKS_DB, RESTORED",
    "ROCKS_DB, RESCALED"
  })
  void runningZetas(Backend backend, Plan plan) throws Exception {
    assertThat(judged(backend, plan))
        .isEqualTo(judged(Backend.HASH_MAP, Plan.NEVER_STOPPED))
        .startsWith("ada 0: 4", "bob 0: 4", "ada 1: 10", "ada 2: 12", "bob 2: 8")
        .endsWith("ada 8: 4", "bob 8: 4", "ada 9: 0");
  }
}
