package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Every benchmark does what it says, once. */
class BenchmarksTest {

  @Test
  void everyLearnerSteps() {
    LearnerStepBenchmark benchmark = new LearnerStepBenchmark();
    benchmark.dimension = 7;
    benchmark.prepare();

    assertThat(benchmark.banco()).isEqualTo(1);
    assertThat(benchmark.blackBox()).isEqualTo(1);
    assertThat(benchmark.adaptiveRadius()).isEqualTo(1);
    assertThat(benchmark.ldpSgd()).isEqualTo(1);
    assertThat(benchmark.ldpSgd()).isEqualTo(2);
    assertThat(benchmark.triad()).hasSize(7).doesNotContain(0.0);
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
