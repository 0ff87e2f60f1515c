package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Report;
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

  private static Report declared(long sequence, Declaration declaration, double level) {
    Report report = TestRecords.report("u", sequence, "m", 0.5, 0);
    report.declaration = declaration;
    report.level = level;
    return report;
  }

  private static void assertRefused(AccountingEvent event) {
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DECLARATION);
    assertThat(event.getReason()).contains("no stronger than the model's strongest_noise");
  }

  @Test
  void strongerOrUndisclosedNoiseIsRefused() throws Exception {
    try (LedgerTasks ledger = start(banco("l2_laplace {epsilon: 1}"))) {
      assertRefused(ledger.judge(declared(1, Declaration.L2_LAPLACE, 0.99)));
      assertRefused(ledger.judge(declared(2, Declaration.GAUSSIAN, 0.01)));
      assertRefused(ledger.judge(declared(3, Declaration.UNDISCLOSED, 0)));
      assertThat(ledger.outputs()).isEmpty();

      assertThat(ledger.judge(declared(4, Declaration.L2_LAPLACE, 1)).getOutcome())
          .isEqualTo(Outcome.ADMITTED);
    }
  }

  @Test
  void eachReportKeepsItsOwnVariance() throws Exception {
    ModelSpec.Builder spec = banco("l2_laplace {epsilon: 1}");
    Report strong = declared(1, Declaration.L2_LAPLACE, 1);
    Report weak = declared(2, Declaration.L2_LAPLACE, 7);
    Report gaussian = declared(3, Declaration.GAUSSIAN, 3);
    try (LedgerTasks ledger = start(spec)) {
      ledger.judge(strong);
      ledger.judge(weak);
      ledger.judge(gaussian);

      DirectionalNoise noise = DirectionalNoise.of(spec.build());
      double g = spec.getGradientBound();
      assertThat(noise.variance(weak)).isLessThan(noise.variance(strong) / 40);
      List<Double> expected = List.of(noise.variance(strong), noise.variance(weak), 4 * g * g / 9);
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
      for (Report report :
          List.of(
              declared(1, Declaration.UNDISCLOSED, 0),
              declared(2, Declaration.L2_LAPLACE, 0.01),
              declared(3, Declaration.GAUSSIAN, 9))) {
        assertThat(ledger.judge(report).getOutcome()).isEqualTo(Outcome.ADMITTED);
      }
      assertThat(ledger.outputs()).hasSize(3).allMatch(sum -> sum.directionalVariance == 5);
    }
  }
}
