package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.learner.LiveModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every benchmark does what it says, once. */
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
    assertThat(benchmark.decodeAndStep()).isEqualTo(LiveModel.Fate.STEPPED);
  }

  @Test
  void bothWaysReadTheSameNumbers() throws Exception {
    DecodingBenchmark benchmark = new DecodingBenchmark();
    benchmark.dimension = 7;
    benchmark.prepare();

    double[] dense = benchmark.denseByProtobuf().clone();
    assertThat(benchmark.denseByView()).isEqualTo(dense).doesNotContain(0.0);
    double[] grid = benchmark.gridByProtobuf().clone();
    assertThat(benchmark.gridByView()).isEqualTo(grid).isNotEqualTo(dense);
  }
}
