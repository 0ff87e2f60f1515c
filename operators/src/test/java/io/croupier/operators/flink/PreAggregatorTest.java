package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreAggregatorTest {
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private OneInputStreamOperatorTestHarness<RoundSum, RoundSum> harness;

  private void start(int parallelism) throws Exception {
    start(parallelism, Integer.MAX_VALUE);
  }

  private void start(int parallelism, int mostReports) throws Exception {
    harness =
        new OneInputStreamOperatorTestHarness<>(
            new PreAggregator(INTERVAL, mostReports), parallelism, parallelism, 0);
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private void send(int reportsPerRound, RoundSum report) throws Exception {
    report.reportsPerRound = reportsPerRound;
    harness.processElement(report, 0);
  }

  /** Returns the records that the operator emitted since the last call. */
  private List<RoundSum> sent() {
    List<RoundSum> sums = harness.extractOutputValues();
    harness.getOutput().clear();
    return sums;
  }

  private static double[] values(RoundSum sum) {
    double[] values = new double[sum.dimension];
    PackedVectors.decode(sum.form, sum.values, sum.indices, 0, 1, values);
    return values;
  }

  @Test
  void usageExample() throws Exception {
    start(1);
    RoundSum first = TestRecords.grid("m", 7, 3, -4);
    first.directionalVariance = 0.25;
    first.specOffset = 11;
    RoundSum second = TestRecords.grid("m", 7, 10, Integer.MIN_VALUE);
    second.directionalVariance = 0.5;
    second.specOffset = 11;
    send(4, first);
    assertThat(sent()).isEmpty();
    send(4, second);

    RoundSum expected = TestRecords.dense("m", 7, 0, 0);
    expected.count = 2;
    expected.reportsPerRound = 4;
    expected.directionalVariance = 0.75;
    expected.specOffset = 11;
    expected.form = VectorForm.GRID_SUM;
    expected.values = PackedVectors.encode(new long[] {13, Integer.MIN_VALUE - 4L});
    assertThat(sent()).usingRecursiveFieldByFieldElementComparator().containsExactly(expected);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "3, 1, 1", "4, 1, 2", "100, 1, 50", "100, 2, 25", "100, 7, 7", "8, 9, 1"})
  void aBundleContainsAtMostHalfARoundOfItsSubtask(int reportsPerRound, int parallelism, int enough)
      throws Exception {
    start(parallelism);
    for (int i = 1; i < enough; i++) {
      send(reportsPerRound, TestRecords.dense("m", 0, 1, 2));
      assertThat(sent()).isEmpty();
    }
    send(reportsPerRound, TestRecords.dense("m", 0, 1, 2));
    assertThat(sent())
        .singleElement()
        .satisfies(
            sum -> {
              assertThat(sum.count).isEqualTo(enough);
              assertThat(values(sum)).containsExactly(enough, 2.0 * enough);
            });
  }

  /** With a clip that moves, the grids of two bounds differ. */
  @Test
  void aBundleContainsReportsOfOneBound() throws Exception {
    start(1);
    for (int i = 0; i < 3; i++) {
      for (double bound : new double[] {0.5, 0.75}) {
        RoundSum report = TestRecords.grid("m", 7, bound < 0.6 ? 1 : 100, 2);
        report.gradientBound = bound;
        send(6, report);
      }
    }
    List<RoundSum> sums = sent();
    assertThat(sums).extracting(sum -> sum.count).containsExactly(3, 3);
    assertThat(sums).extracting(sum -> sum.gradientBound).containsExactly(0.5, 0.75);
    assertThat(values(sums.get(0))).containsExactly(3, 6);
    assertThat(values(sums.get(1))).containsExactly(300, 6);
  }

  @Test
  void aBundleContainsNoMoreThanTheJournalCanRecord() throws Exception {
    start(1, 3);
    for (int i = 0; i < 7; i++) {
      send(100, TestRecords.dense("m", 0, 1, 2));
    }
    assertThat(sent()).extracting(sum -> sum.count).containsExactly(3, 3);
  }

  @Test
  void theIntervalBoundsTheWaitOfTheFirstReport() throws Exception {
    start(1);
    harness.setProcessingTime(1000);
    send(100, TestRecords.dense("m", 0, 1, 0));
    harness.setProcessingTime(1040);
    send(100, TestRecords.dense("n", 0, 1, 0));
    harness.setProcessingTime(1049);
    assertThat(sent()).isEmpty();
    harness.setProcessingTime(1050);
    assertThat(sent()).extracting(sum -> sum.modelId).containsExactly("m", "n");

    harness.setProcessingTime(2000);
    assertThat(harness.getProcessingTimeService().getNumActiveTimers())
        .as("timers while no report waits")
        .isZero();
    send(100, TestRecords.dense("m", 0, 1, 0));
    harness.setProcessingTime(2050);
    assertThat(sent()).as("the second interval").hasSize(1);
  }

  @Test
  void nothingIsHeldBackAtABarrierSoThereIsNoState() throws Exception {
    start(1);
    send(100, TestRecords.dense("m", 0, 1, 0));
    send(100, TestRecords.grid("m", 0, 1, 0));
    harness.prepareSnapshotPreBarrier(1);
    assertThat(sent())
        .extracting(sum -> sum.form)
        .containsExactly(VectorForm.DENSE, VectorForm.GRID);
    assertThat(harness.snapshot(1, 0).hasState()).isFalse();
    harness.prepareSnapshotPreBarrier(2);
    assertThat(sent()).isEmpty();
  }

  @Test
  void theEndOfTheInputFlushes() throws Exception {
    start(1);
    send(100, TestRecords.dense("m", 0, 1, 0));
    harness.endInput();
    assertThat(sent()).hasSize(1);
  }

  @Test
  void sparseReportsAreAddedUpWhereTheyNameACoordinate() throws Exception {
    start(1);
    for (int i = 0; i < 50; i++) {
      send(100, TestRecords.sparse("m", 0, 1_000_000, 999_999 - i % 3, 0.5));
    }
    assertThat(sent())
        .singleElement()
        .satisfies(
            sum -> {
              assertThat(sum.form).isEqualTo(VectorForm.SPARSE);
              assertThat(sum.count).isEqualTo(50);
              assertThat(sum.indices).containsExactly(999_999, 999_998, 999_997);
              assertThat(sum.values).isEqualTo(PackedVectors.encode(new double[] {8.5, 8.5, 8}));
            });
  }

  @Test
  void onlyReportsOfOneModelRoundAndSpecAreAddedUp() throws Exception {
    start(1);
    RoundSum otherSpec = TestRecords.dense("m", 0, 0, 1);
    otherSpec.specOffset = 1;
    List<RoundSum> different =
        List.of(
            TestRecords.dense("m", 0, 1, 0),
            otherSpec,
            TestRecords.dense("m", 1, 0, 1),
            TestRecords.dense("n", 0, 0, 1),
            TestRecords.grid("m", 0, 0, 1),
            TestRecords.sparse("m", 0, 2, 1, 1));
    for (RoundSum report : different) {
      send(100, report);
    }
    harness.prepareSnapshotPreBarrier(1);
    List<RoundSum> sums = sent();
    assertThat(sums).hasSize(6).allSatisfy(sum -> assertThat(sum.count).isEqualTo(1));
    for (int i = 0; i < 6; i++) {
      assertThat(sums.get(i).modelId).isEqualTo(different.get(i).modelId);
      assertThat(sums.get(i).namedRound).isEqualTo(different.get(i).namedRound);
      assertThat(sums.get(i).specOffset).isEqualTo(different.get(i).specOffset);
      assertThat(values(sums.get(i))).isEqualTo(values(different.get(i)));
    }
  }

  @Test
  void aLearnerOnGridSumsLearnsTheSameBits() throws Exception {
    start(2);
    ModelSpec spec = TestRecords.sgd("m").setReportsPerRound(24).build();
    LiveModel oneByOne = LiveModel.begin(spec, 0);
    LiveModel bundled = LiveModel.begin(spec, 0);
    oneByOne.publish(true, 0);
    bundled.publish(true, 0);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 192; i++) {
      int[] steps = {random.nextInt(), random.nextInt(2) == 0 ? Integer.MIN_VALUE : 1};
      oneByOne.add(TestRecords.grid("m", 0, steps));
      send(24, TestRecords.grid("m", 0, steps));
    }
    List<RoundSum> sums = sent();
    assertThat(sums).hasSize(32);
    sums.forEach(bundled::add);
    assertThat(bundled.round()).isEqualTo(8);
    assertThat(bundled.publish(true, 0).orElseThrow())
        .isEqualTo(oneByOne.publish(true, 0).orElseThrow());
  }

  @Test
  void nothingIsLostNorCountedTwiceOnAnyStream() throws Exception {
    start(1);
    SplittableRandom random = new SplittableRandom(29);
    long[] steps = new long[2];
    int reports = 0;
    List<RoundSum> sums = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      int chance = random.nextInt(40);
      if (chance == 0) {
        harness.prepareSnapshotPreBarrier(i);
      } else if (chance == 1) {
        harness.setProcessingTime(harness.getProcessingTime() + random.nextInt(60));
      } else {
        int[] grid = {random.nextInt(), random.nextInt()};
        send(
            2 + 10 * random.nextInt(4),
            TestRecords.grid("model " + random.nextInt(3), random.nextInt(3), grid));
        steps[0] += grid[0];
        steps[1] += grid[1];
        reports++;
      }
      sums.addAll(sent());
    }
    harness.endInput();
    sums.addAll(sent());

    long[] sum = new long[2];
    for (RoundSum bundle : sums) {
      if (bundle.form == VectorForm.GRID) {
        PackedVectors.addGrid(bundle.values, sum);
      } else {
        PackedVectors.addGridSum(bundle.values, sum);
      }
    }
    assertThat(sum).isEqualTo(steps);
    assertThat(sums.stream().mapToInt(bundle -> bundle.count).sum()).isEqualTo(reports);
  }

  /** Like the rounds of the learner. */
  @Test
  void bundlesGrowWithTheReportsThatNameARound() throws Exception {
    start(1);
    int reports = 30_000;
    for (int i = 0; i < reports; i++) {
      send(1, TestRecords.grid("m", 7, 1, 0));
      if (i % 100 == 0) {
        send(1, TestRecords.grid("m", 6, 1, 0));
      }
    }
    harness.prepareSnapshotPreBarrier(1);

    Map<Long, List<RoundSum>> sums =
        sent().stream().collect(Collectors.groupingBy(sum -> sum.namedRound));
    assertThat(sums.get(7L)).hasSizeBetween(230, 310);
    assertThat(sums.get(7L)).extracting(sum -> sum.count).startsWith(1, 1, 1);
    assertThat(sums.get(7L).stream().mapToInt(sum -> sum.count).max().orElseThrow())
        .isGreaterThan(900);
    assertThat(sums.get(7L).stream().mapToInt(sum -> sum.count).sum()).isEqualTo(reports);
    assertThat(sums.get(6L)).hasSizeLessThan(160);
    assertThat(sums.get(6L).stream().mapToInt(sum -> sum.count).sum()).isEqualTo(reports / 100);
  }

  /** A report may name any round, so reports that name invented ones must not affect others. */
  @Test
  void inventedRoundsDontMakeTheBundlesOfARealOneSmall() throws Exception {
    start(1);
    for (int i = 0; i < 300; i++) {
      send(1, TestRecords.grid("m", 0, 1, 0));
    }
    for (int round = 1; round <= 5000; round++) {
      send(1, TestRecords.grid("m", round, 1, 0));
    }
    harness.prepareSnapshotPreBarrier(1);
    sent();
    for (int i = 0; i < 8; i++) {
      send(1, TestRecords.grid("m", 0, 1, 0));
      assertThat(sent()).isEmpty();
    }
    send(1, TestRecords.grid("m", 0, 1, 0));
    assertThat(sent()).extracting(sum -> sum.count).containsExactly(9);
  }

  /** Bundles are kept by bound, so one that was invented must wait no longer than such a round. */
  @Test
  void anInventedBoundIsPassedOnLikeAnInventedRound() throws Exception {
    start(1);
    for (int i = 0; i < 300; i++) {
      RoundSum report = TestRecords.grid("m", 7, 1, 0);
      report.gradientBound = 0.5;
      send(1, report);
    }
    harness.prepareSnapshotPreBarrier(1);
    sent();
    for (int i = 1; i <= 100; i++) {
      RoundSum invented = TestRecords.grid("m", 7, 1, 0);
      invented.gradientBound = 0.5 + i * 1e-6;
      send(1, invented);
      assertThat(sent()).extracting(sum -> sum.gradientBound).containsExactly(0.5 + i * 1e-6);
    }
  }
}
