package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The declarations that BANCO accepts, and the part that reaches the learner, in the ledger's task.
 */
class BancoDeclarationsTest {

  private static ModelSpec.Builder banco(String strongestNoise) throws Exception {
    ModelSpec.Builder spec = TestRecords.common("m");
    TextFormat.merge("banco {strongest_noise {" + strongestNoise + "}}", spec);
    return spec;
  }

  private static LedgerTasks start(ModelSpec.Builder spec) throws Exception {
    ModelSpec built = spec.build(); // serialised with the operator, which a builder is not
    return new LedgerTasks(
        Backend.HASH_MAP,
        Plan.NEVER_STOPPED,
        () -> List.of(TestRecords.published(0, built.toBuilder())));
  }

  private static ReportDraft declared(long sequence, Mechanism mechanism) {
    ReportDraft report = TestRecords.report("u", sequence, "m", 0.5, 0);
    report.mechanism = mechanism;
    return report;
  }

  private static void assertRefused(AccountingEvent event) {
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DECLARATION);
    assertThat(event.getReason()).contains("no stronger than the model's strongest_noise");
  }

  @Test
  void strongerOrUndisclosedNoiseIsRefused() throws Exception {
    try (LedgerTasks ledger = start(banco("l2_laplace {epsilon: 1}"))) {
      assertRefused(ledger.judge(declared(1, new L2LaplaceMechanism(0.99))));
      assertRefused(ledger.judge(declared(2, new GaussianMechanism(0.01))));
      assertRefused(ledger.judge(declared(3, UndisclosedNoise.UNDISCLOSED)));
      assertThat(ledger.outputs()).isEmpty();

      assertThat(ledger.outcome(declared(4, new L2LaplaceMechanism(1))))
          .isEqualTo(Outcome.ADMITTED);
    }
  }

  @Test
  void eachReportKeepsItsOwnVariance() throws Exception {
    ModelSpec.Builder spec = banco("l2_laplace {epsilon: 1}");
    ReportDraft strong = declared(1, new L2LaplaceMechanism(1));
    ReportDraft weak = declared(2, new L2LaplaceMechanism(7));
    ReportDraft gaussian = declared(3, new GaussianMechanism(3));
    try (LedgerTasks ledger = start(spec)) {
      ledger.judge(strong);
      ledger.judge(weak);
      ledger.judge(gaussian);

      DirectionalNoise noise = DirectionalNoise.of(spec.build());
      double g = spec.getGradientBound();
      assertThat(noise.variance(weak.mechanism)).isLessThan(noise.variance(strong.mechanism) / 40);
      List<Double> expected =
          List.of(noise.variance(strong.mechanism), noise.variance(weak.mechanism), 4 * g * g / 9);
      List<Double> rounded = ledger.outputs().stream().map(sum -> sum.directionalVariance).toList();
      assertThat(rounded).hasSameSizeAs(expected);
      for (int i = 0; i < expected.size(); i++) {
        // Rounded up, so that sums are exact.
        assertThat(rounded.get(i))
            .isBetween(expected.get(i), expected.get(i) * (1 + Math.scalb(1.0, -17)));
      }
    }
  }

  /** Noise that the operator vouches for needs no declaration, and overrides declared noise. */
  @Test
  void vouchedNoiseAcceptsAnyDeclaration() throws Exception {
    try (LedgerTasks ledger = start(banco("sub_exponential {variance: 5 beta_max: 0.2}"))) {
      for (ReportDraft report :
          List.of(
              declared(1, UndisclosedNoise.UNDISCLOSED),
              declared(2, new L2LaplaceMechanism(0.01)),
              declared(3, new GaussianMechanism(9)))) {
        assertThat(ledger.outcome(report)).isEqualTo(Outcome.ADMITTED);
      }
      assertThat(ledger.outputs()).hasSize(3).allMatch(sum -> sum.directionalVariance == 5);
    }
  }
}
