package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.model.LiveModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs every benchmark once. */
class BenchmarksTest {

  @ParameterizedTest
  @ValueSource(strings = {"black_box {}", "coordinate_wise {}", "ldp_sgd {step_size: 1 decay: 0}"})
  void stepsAndMemoryTakeTurns(String learner) throws Exception {
    LearnerStepBenchmark benchmark = new LearnerStepBenchmark();
    benchmark.dimension = 1000;
    benchmark.mebibytes = 1;
    benchmark.learner = learner;
    benchmark.prepare();

    LearnerStepBenchmark.Nanos nanos = new LearnerStepBenchmark.Nanos();
    for (int i = 0; i < 100; i++) {
      benchmark.step(nanos);
    }
    assertThat(nanos.stepNanos).isPositive();
    assertThat(nanos.memoryNanos).isPositive();
  }

  @Test
  void sparseReportsAreUsed() {
    SparseReportBenchmark benchmark = new SparseReportBenchmark();
    benchmark.dimension = 1000;
    benchmark.prepare();
    assertThat(benchmark.decodeAndStep()).isEqualTo(LiveModel.BundleOutcome.OPEN);
  }

  @Test
  void candidatesAreReleasedAndExpanded() {
    CandidateBenchmark benchmark = new CandidateBenchmark();
    benchmark.dimension = 7;
    benchmark.prepare();
    byte[] report = benchmark.expandInJob();
    assertThat(report).hasSize(7 * Double.BYTES).isNotEqualTo(benchmark.expandInJob());
    assertThat(benchmark.expand()).doesNotContain(0.0);
    assertThat(benchmark.height()).isNotEqualTo(benchmark.height());
    assertThat(benchmark.release().index()).isBetween(0, 255);
    assertThat(benchmark.nextGaussian()).doesNotContain(0.0);
  }

  @Test
  void tokensAreSignedAndVerified() throws Exception {
    TokenBenchmark benchmark = new TokenBenchmark();
    benchmark.prepare();
    assertThat(benchmark.sign()).isEqualTo(benchmark.sign());
    assertThat(benchmark.request().blinded()).isNotEqualTo(benchmark.request().blinded());
    assertThat(benchmark.verify()).isTrue();
  }
}
