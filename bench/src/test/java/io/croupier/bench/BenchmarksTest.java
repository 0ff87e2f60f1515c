package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.ledger.AccountTurns;
import io.croupier.operators.model.LiveModel;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
  void bothWaysReadTheSameNumbers() throws Exception {
    DecodingBenchmark benchmark = new DecodingBenchmark();
    benchmark.dimension = 7;
    benchmark.prepare();

    double[] dense = benchmark.denseByProtobuf().clone();
    assertThat(benchmark.denseByView()).isEqualTo(dense).doesNotContain(0.0);
    double[] grid = benchmark.gridByProtobuf().clone();
    assertThat(benchmark.gridByView()).isEqualTo(grid).isNotEqualTo(dense);
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "sum", "event"})
  void ownRecordsAreShorterThanPojos(String record) throws Exception {
    assertThat(bytesWritten(record, "own")).isLessThan(bytesWritten(record, "pojo")).isPositive();
  }

  private static int bytesWritten(String record, String format) throws Exception {
    ShuffleBenchmark benchmark = new ShuffleBenchmark();
    benchmark.record = record;
    benchmark.format = format;
    benchmark.prepare();
    benchmark.write();
    return benchmark.bytes();
  }

  @ParameterizedTest
  @CsvSource({"heap, FORMER", "heap, OWN", "rocksdb, FORMER", "rocksdb, OWN"})
  void accountsAreCharged(String backend, AccountTurns.Layout layout) throws Exception {
    AccountStateBenchmark benchmark = new AccountStateBenchmark();
    benchmark.backend = backend;
    benchmark.layout = layout;
    benchmark.users = 50;
    benchmark.before = 1;
    benchmark.prepare();
    AccountStateBenchmark.Processor processor = new AccountStateBenchmark.Processor();
    for (int i = 0; i < 5; i++) {
      benchmark.report(processor);
    }
    benchmark.close();
    assertThat(processor.reports).isEqualTo(5000);
    assertThat(processor.threadNanos).isPositive();
  }

  @Test
  void everyRandomiserReleases() {
    RandomiserBenchmark benchmark = new RandomiserBenchmark();
    benchmark.prepare();
    assertThat(benchmark.gaussian()).isNotEqualTo(benchmark.gaussian());
    assertThat(benchmark.coordinateLaplace()).isNotEqualTo(benchmark.coordinateLaplace());
    assertThat(benchmark.l2Laplace()).isNotEqualTo(benchmark.l2Laplace());
    assertThat(benchmark.nextGaussian()).doesNotContain(0.0);
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

  @ParameterizedTest
  @ValueSource(strings = {"HONAKER", "VANILLA", "BLT-4"})
  void prefixSumsTakeTheirStep(String mechanism) {
    PrefixNoiseBenchmark benchmark = new PrefixNoiseBenchmark();
    benchmark.dimension = 10;
    benchmark.step = 1000;
    benchmark.mechanism = mechanism;
    benchmark.prepare();
    benchmark.putBeforeTheStep();
    assertThat(benchmark.step()).doesNotContain(0.0);
    long[] drawn = benchmark.itsNoiseAlone().clone();
    assertThat(benchmark.itsNoiseAlone()).isNotEqualTo(drawn);
  }

  @Test
  void everyPriorHasWeights() {
    assertThat(weights(WeightsBenchmark::conjugate)).doesNotContain(0.0, Double.NaN);
    assertThat(weights(WeightsBenchmark::uniform)).doesNotContain(0.0, Double.NaN);
    assertThat(weights(WeightsBenchmark::improper)).doesNotContain(0.0, Double.NaN);
    assertThat(weights(WeightsBenchmark::cv)).doesNotContain(0.0, Double.NaN);
  }

  @Test
  void theFormulaIsTheConjugatePriorsWhereItIsRight() {
    double[] conjugate = weights(WeightsBenchmark::conjugate);
    double[] formula = weights(WeightsBenchmark::formula);
    int right = 0;
    for (int i = 0; i < formula.length; i++) {
      if (Math.abs(formula[i] - conjugate[i]) <= 1e-6 * Math.abs(conjugate[i])) {
        right++;
      }
    }
    assertThat(right).isGreaterThan(formula.length / 2);
  }

  private static double[] weights(Function<WeightsBenchmark, double[]> method) {
    WeightsBenchmark benchmark = new WeightsBenchmark();
    benchmark.prepare();
    return method.apply(benchmark);
  }
}
