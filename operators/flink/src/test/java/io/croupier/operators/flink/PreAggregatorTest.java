package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.TestSums;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

  private void send(RoundSum report) throws Exception {
    harness.processElement(report, 0);
  }

  /** Returns the records that the operator emitted since the last call. */
  private List<RoundSum> sent() {
    List<RoundSum> sums = harness.extractOutputValues();
    harness.getOutput().clear();
    return sums;
  }

  private List<RoundSum> sentAtABarrier() throws Exception {
    harness.prepareSnapshotPreBarrier(1);
    return sent();
  }

  private static double[] values(RoundSum sum) {
    return TestSums.values(sum);
  }

  @Test
  void usageExample() throws Exception {
    start(1, 2);
    RoundSum first = TestRecords.grid("m", 7, 3, -4);
    first.directionalVariance = 0.25;
    first.specOffset = 11;
    RoundSum second = TestRecords.grid("m", 7, 10, Integer.MIN_VALUE);
    second.directionalVariance = 0.5;
    second.specOffset = 11;
    send(first);
    assertThat(sent()).isEmpty();
    send(second);

    RoundSum expected = TestRecords.grid("m", 7, 0, 0);
    expected.count = 2;
    expected.directionalVariance = 0.75;
    expected.specOffset = 11;
    expected.form = VectorForm.GRID_SUM;
    expected.values = PackedVectors.encode(new long[] {13, Integer.MIN_VALUE - 4L});
    assertThat(sent()).usingRecursiveFieldByFieldElementComparator().containsExactly(expected);
  }

  /** So each report counts for its window's guarantee among those of its declaration. */
  @Test
  void aBundleContainsReportsOfOneAnonymousLevel() throws Exception {
    start(1);
    for (int i = 0; i < 9; i++) {
      RoundSum report = TestRecords.grid("m", 7, 1, 2);
      report.anonymousLevel = i % 3;
      send(report);
    }
    List<RoundSum> sums = sentAtABarrier();
    assertThat(sums).extracting(sum -> sum.count).containsExactly(3, 3, 3);
    assertThat(sums).extracting(sum -> sum.anonymousLevel).containsExactly(0, 1, 2);
  }

  /** With a clip that moves, the grids of two bounds differ. */
  @Test
  void aBundleContainsReportsOfOneBound() throws Exception {
    start(1);
    for (int i = 0; i < 3; i++) {
      for (double bound : new double[] {0.5, 0.75}) {
        RoundSum report = TestRecords.grid("m", 7, bound < 0.6 ? 1 : 100, 2);
        report.gradientBound = bound;
        send(report);
      }
    }
    List<RoundSum> sums = sentAtABarrier();
    assertThat(sums).extracting(sum -> sum.count).containsExactly(3, 3);
    assertThat(sums).extracting(sum -> sum.gradientBound).containsExactly(0.5, 0.75);
    assertThat(values(sums.get(0))).containsExactly(0x3p-16, 0x6p-16);
    assertThat(values(sums.get(1))).containsExactly(300 * 0x1p-16, 0x6p-16);
  }

  @Test
  void aBundleContainsReportsOfOneWeightAndGrid() throws Exception {
    start(1);
    for (int i = 0; i < 4; i++) {
      RoundSum report = TestRecords.grid("m", 7, 1, 2);
      report.weightExponent = i % 2;
      report.exponent = i < 2 ? -16 : -10;
      send(report);
    }
    assertThat(sentAtABarrier())
        .extracting(sum -> List.of(sum.count, sum.weightExponent, sum.exponent))
        .containsExactly(
            List.of(1, 0, -16), List.of(1, 1, -16), List.of(1, 0, -10), List.of(1, 1, -10));
  }

  /** An answer never waits, and neither does any report if the journal records each alone. */
  @Test
  void answersAreNotAddedUp() throws Exception {
    start(1);
    send(TestRecords.answer("m", 0, "a", true));
    send(TestRecords.answer("m", 0, "a", true));
    assertThat(sent()).extracting(sum -> sum.count).containsExactly(1, 1);
  }

  /** Dense sums of few large models have bounded memory. */
  @Test
  void manyValuesAreEmittedBeforeTheInterval() throws Exception {
    start(1);
    int d = (int) (PreAggregator.MOST_VALUES / 4);
    for (int model = 0; model < 5; model++) {
      RoundSum report = TestRecords.sparse("m" + model, 0, d, 1, 1);
      report.form = VectorForm.GRID;
      report.values = new byte[0];
      send(report);
      assertThat(sent()).hasSize(model == 3 ? 4 : 0);
    }
  }

  @Test
  void aBundleContainsNoMoreThanTheJournalCanRecord() throws Exception {
    start(1, 3);
    for (int i = 0; i < 7; i++) {
      send(TestRecords.dense("m", 0, 1, 2));
    }
    assertThat(sent()).extracting(sum -> sum.count).containsExactly(3, 3);
  }

  @Test
  void theIntervalBoundsTheWaitOfTheFirstReport() throws Exception {
    start(1);
    harness.setProcessingTime(1000);
    send(TestRecords.dense("m", 0, 1, 0));
    harness.setProcessingTime(1040);
    send(TestRecords.dense("n", 0, 1, 0));
    harness.setProcessingTime(1049);
    assertThat(sent()).isEmpty();
    harness.setProcessingTime(1050);
    assertThat(sent()).extracting(sum -> sum.modelId).containsExactly("m", "n");

    harness.setProcessingTime(2000);
    assertThat(harness.getProcessingTimeService().getNumActiveTimers())
        .as("timers while no report waits")
        .isZero();
    send(TestRecords.dense("m", 0, 1, 0));
    harness.setProcessingTime(2050);
    assertThat(sent()).as("the second interval").hasSize(1);
  }

  @Test
  void nothingIsHeldBackAtABarrierSoThereIsNoState() throws Exception {
    start(1);
    send(TestRecords.dense("m", 0, 1, 0));
    send(TestRecords.grid("m", 0, 1, 0));
    assertThat(sentAtABarrier())
        .extracting(sum -> sum.form)
        .containsExactly(VectorForm.GRID_SUM, VectorForm.GRID);
    assertThat(harness.snapshot(1, 0).hasState()).isFalse();
    assertThat(sentAtABarrier()).isEmpty();
  }

  @Test
  void theEndOfTheInputFlushes() throws Exception {
    start(1);
    send(TestRecords.dense("m", 0, 1, 0));
    harness.endInput();
    assertThat(sent()).hasSize(1);
  }

  @Test
  void sparseReportsAreAddedUpWhereTheyNameACoordinate() throws Exception {
    start(1);
    for (int i = 0; i < 50; i++) {
      send(TestRecords.sparse("m", 0, 1_000_000, 999_999 - i % 3, 0.5));
    }
    assertThat(sentAtABarrier())
        .singleElement()
        .satisfies(
            sum -> {
              assertThat(sum.form).isEqualTo(VectorForm.SPARSE_SUM);
              assertThat(sum.count).isEqualTo(50);
              assertThat(sum.indices).containsExactly(999_999, 999_998, 999_997);
              assertThat(sum.touches).containsExactly(17, 17, 16);
              assertThat(values(sum)[999_999]).isEqualTo(8.5);
              assertThat(values(sum)[999_997]).isEqualTo(8);
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
      send(report);
    }
    List<RoundSum> sums = sentAtABarrier();
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
    start(1, 6);
    ModelSpec spec = TestRecords.sgd("m").build();
    LiveModel oneByOne = LiveModel.begin(spec, 0);
    LiveModel bundled = LiveModel.begin(spec, 0);
    oneByOne.publish(true, 0);
    bundled.publish(true, 0);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 192; i++) {
      int[] steps = {random.nextInt(), random.nextInt(2) == 0 ? Integer.MIN_VALUE : 1};
      oneByOne.add(TestRecords.grid("m", 0, steps));
      send(TestRecords.grid("m", 0, steps));
    }
    List<RoundSum> sums = sent();
    assertThat(sums).hasSize(32);
    sums.forEach(bundled::add);
    assertThat(bundled.publish(true, 0).orElseThrow())
        .isEqualTo(oneByOne.publish(true, 0).orElseThrow());
  }

  @Test
  void nothingIsLostNorCountedTwiceOnAnyStream() throws Exception {
    start(1, 9);
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
        send(TestRecords.grid("model " + random.nextInt(3), random.nextInt(3), grid));
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
}
