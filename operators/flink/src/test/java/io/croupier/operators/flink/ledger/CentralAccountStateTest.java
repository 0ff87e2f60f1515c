package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.Limits;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** The ledger's charges for noise continue after a restart. */
class CentralAccountStateTest {

  /** Judges reports to a central model, and emits what each added to its user's zeta. */
  private static final class Judge extends AbstractStreamOperator<String>
      implements OneInputStreamOperator<Report, String> {
    private static final long serialVersionUID = 1;

    private final DpFtrl ftrl;
    private transient KeyedAccounts accounts;
    private transient ReportIntake intake;

    private Judge(DpFtrl ftrl) {
      this.ftrl = ftrl;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      accounts = new KeyedAccounts(context.getKeyedStateStore(), null);
      intake =
          new ReportIntake(
              TestRecords.common("m")
                  .setDpFtrl(ftrl)
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
      KeyedAccount account = accounts.load();
      double zeta = new Ledger().judge(report, intake.terms(), account).getCentralSpend().getZeta();
      account.store();
      output.collect(
          new StreamRecord<>(
              "%s %d: %.1f".formatted(report.header().userId(), report.header().round(), zeta)));
    }
  }

  private static List<String> judged(DpFtrl.Builder ftrl, Backend backend, Plan plan)
      throws Exception {
    try (var tasks =
        new Subtasks<String, KeyedOneInputStreamOperatorTestHarness<String, Report, String>>(
            (keyGroups, parallelism, index) ->
                new KeyedOneInputStreamOperatorTestHarness<>(
                    new Judge(ftrl.build()),
                    report -> report.header().userId(),
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
            ReportDraft report = TestRecords.report(user, round, "m", 0, 0);
            report.mechanism = CentralNoise.CENTRAL;
            report.round = round;
            tasks.on(user, harness -> harness.processElement(report.build(), 0));
          }
        }
        tasks.barrier();
      }
      return tasks.outputs();
    }
  }

  @RestoredInEveryBackend
  void runningZetas(Backend backend, Plan plan) throws Exception {
    DpFtrl.Builder tree =
        DpFtrl.newBuilder()
            .setClipNorm(1)
            .setLearningRate(1)
            .setNoiseMultiplier(2)
            .setRestartEvery(8);
    tree.getNoiseBuilder().getTreeBuilder();
    assertThat(judged(tree, backend, plan))
        .isEqualTo(judged(tree, Backend.HASH_MAP, Plan.NEVER_STOPPED))
        .startsWith("ada 0: 4.0", "bob 0: 4.0", "ada 1: 10.0", "ada 2: 12.0", "bob 2: 8.0")
        .endsWith("ada 8: 4.0", "bob 8: 4.0", "ada 9: 0.0");
  }

  @RestoredInEveryBackend
  void wholeCharges(Backend backend, Plan plan) throws Exception {
    DpFtrl.Builder blt =
        DpFtrl.newBuilder().setClipNorm(1).setLearningRate(1).setNoiseMultiplier(2);
    blt.getNoiseBuilder().getBltBuilder().setBuffers(1).setHorizon(10);
    List<String> judged = judged(blt, backend, plan);
    assertThat(judged)
        .isEqualTo(judged(blt, Backend.HASH_MAP, Plan.NEVER_STOPPED))
        .hasSize(15)
        .filteredOn(line -> !line.endsWith(": 0.0"))
        .hasSize(2);
    assertThat(judged.get(0)).startsWith("ada 0: ");
    assertThat(judged.get(1)).startsWith("bob 0: ");
  }
}
