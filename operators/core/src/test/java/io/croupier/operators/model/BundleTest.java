package io.croupier.operators.model;

import static io.croupier.operators.model.TestSums.grid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BundleTest {

  private static RoundSum report(int... steps) {
    RoundSum report = grid(7, -16, steps);
    report.directionalVariance = 0.5;
    report.weightExponent = 3;
    report.specOffset = 3;
    return report;
  }

  private static RoundSum sums(long... steps) {
    RoundSum report = report(new int[steps.length]);
    report.form = VectorForm.GRID_SUM;
    report.values = PackedVectors.encode(steps);
    return report;
  }

  private static RoundSum sparse(int dimension, int[] indices, long... steps) {
    RoundSum report = sums(steps);
    report.form = VectorForm.SPARSE_SUM;
    report.dimension = dimension;
    report.indices = indices;
    return report;
  }

  @Test
  void usageExample() {
    Bundle bundle = new Bundle(report(Integer.MAX_VALUE, -1));
    bundle.add(report(Integer.MAX_VALUE, 3));
    assertThat(bundle.count()).isEqualTo(2);

    RoundSum expected = sums(2L * Integer.MAX_VALUE, 2);
    expected.count = 2;
    expected.directionalVariance = 1;
    assertThat(bundle.seal()).usingRecursiveComparison().isEqualTo(expected);
  }

  /** Reports whose grid is not the model's. */
  @Test
  void sumsOnAGridAreAdded() {
    Bundle bundle = new Bundle(sums(1L << 40, -5));
    bundle.add(sums(1, 7));
    RoundSum expected = sums((1L << 40) + 1, 2);
    expected.count = 2;
    expected.directionalVariance = 1;
    assertThat(bundle.seal()).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void sparseReportsAreAddedWhereTheyNameACoordinate() {
    Bundle bundle = new Bundle(sparse(9, new int[] {7, 2}, 1L << 50, 4));
    bundle.add(sparse(9, new int[] {2, 0}, 5, 3));
    bundle.add(sparse(9, new int[] {7}, -(1L << 50)));
    bundle.add(sparse(9, new int[] {}));
    bundle.add(sparse(9, new int[] {7}, 1));
    assertThat(bundle.values()).isEqualTo(3);
    RoundSum sum = bundle.seal();
    assertThat(sum.form).isEqualTo(VectorForm.SPARSE_SUM);
    assertThat(sum.dimension).isEqualTo(9);
    assertThat(sum.count).isEqualTo(5);
    assertThat(sum.indices).containsExactly(7, 2, 0);
    assertThat(sum.values).isEqualTo(PackedVectors.encode(new long[] {1, 9, 3}));
    assertThat(sum.touches).containsExactly(3, 2, 1);

    Bundle again = new Bundle(sum);
    again.add(sparse(9, new int[] {2, 5}, 1, 1));
    assertThat(again.seal().touches).as("of bundles of bundles").containsExactly(3, 3, 1, 1);
  }

  /** Integers don't round, so neither the order nor the grouping matters. */
  @Test
  void theOrderDoesNotMatter() {
    RoundSum[] reports = {sums(1L << 60, 1), sums(-(1L << 60), 3), sums(5, -9)};
    byte[] expected = PackedVectors.encode(new long[] {5, -5});
    int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int[] order : orders) {
      Bundle bundle = new Bundle(reports[order[0]]);
      bundle.add(reports[order[1]]);
      bundle.add(reports[order[2]]);
      assertThat(bundle.seal().values).as(Arrays.toString(order)).isEqualTo(expected);
    }
  }

  @Test
  void positionsKeepTheOrderOfArrival() {
    Bundle bundle = new Bundle(at(3, 9));
    for (int i = 0; i < 5; i++) {
      bundle.add(at(i, 100 - i));
    }
    bundle.add(report(1));
    RoundSum sum = bundle.seal();
    assertThat(sum.partitions).containsExactly(3, 0, 1, 2, 3, 4);
    assertThat(sum.offsets).containsExactly(9, 100, 99, 98, 97, 96);
    assertThat(sum.count).isEqualTo(7);
  }

  private static RoundSum at(int partition, long offset) {
    RoundSum report = report(1);
    report.partitions = new int[] {partition};
    report.offsets = new long[] {offset};
    return report;
  }

  @Test
  void theOldestTimeOfAppendingIsKept() {
    Bundle bundle = new Bundle(report(1));
    RoundSum older = report(2);
    older.appendedAtMs = -5;
    bundle.add(older);
    bundle.add(report(3));
    assertThat(bundle.seal().appendedAtMs).isEqualTo(-5);
  }

  @Test
  void aBundleOfOneReportIsTheReportItself() {
    RoundSum report = report(1, 2);
    assertThat(new Bundle(report).seal()).isSameAs(report);
    assertThat(report).usingRecursiveComparison().isEqualTo(report(1, 2));
  }

  @Test
  void addingDoesNotChangeTheReports() {
    RoundSum first = report(1, 2);
    RoundSum second = report(3, 4);
    Bundle bundle = new Bundle(first);
    bundle.add(second);
    bundle.seal();
    assertThat(first).usingRecursiveComparison().isEqualTo(report(1, 2));
    assertThat(second).usingRecursiveComparison().isEqualTo(report(3, 4));
  }

  @Test
  void incompatibleReportsAreRefused() {
    assertRefused(
        report(1), "A GRID report of dimension 1 in a bundle of GRID reports of dimension 2");
    assertRefused(
        sums(1, 2), "A GRID_SUM report of dimension 2 in a bundle of GRID reports of dimension 2");
    RoundSum otherWeight = report(1, 2);
    otherWeight.weightExponent = 4;
    assertRefused(
        otherWeight,
        "A report of weight 2^-4 on the grid 2^-16 in a bundle of weight 2^-3 on the grid 2^-16");
    RoundSum otherGrid = report(1, 2);
    otherGrid.exponent = -17;
    assertRefused(
        otherGrid,
        "A report of weight 2^-3 on the grid 2^-17 in a bundle of weight 2^-3 on the grid 2^-16");
    RoundSum otherBound = report(1, 2);
    otherBound.gradientBound = 0.5;
    assertRefused(
        otherBound, "A report of gradient bound 0.5 in a bundle of reports of gradient bound 0.0");
    RoundSum dense = report(1, 2);
    dense.form = VectorForm.DENSE;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Bundle(dense).add(dense))
        .withMessage("Reports of form DENSE are not bundled");
  }

  private static void assertRefused(RoundSum report, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Bundle(report(1, 2)).add(report))
        .withMessage(message);
  }
}
