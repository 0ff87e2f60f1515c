package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;
import org.junit.jupiter.api.Test;

class BundleTest {

  private static RoundSum report(VectorForm form, int dimension, byte[] values) {
    RoundSum report = new RoundSum();
    report.modelId = "m";
    report.namedRound = 7;
    report.count = 1;
    report.reportsPerRound = 100;
    report.directionalVariance = 0.5;
    report.form = form;
    report.dimension = dimension;
    report.values = values;
    report.specOffset = 3;
    return report;
  }

  private static RoundSum dense(double... values) {
    return report(VectorForm.DENSE, values.length, PackedVectors.encode(values));
  }

  private static RoundSum grid(int... steps) {
    return report(VectorForm.GRID, steps.length, PackedVectors.encode(steps));
  }

  @Test
  void usageExample() {
    Bundle bundle = new Bundle(grid(Integer.MAX_VALUE, -1));
    bundle.add(grid(Integer.MAX_VALUE, 3));
    assertThat(bundle.count()).isEqualTo(2);

    RoundSum expected =
        report(
            VectorForm.GRID_SUM, 2, PackedVectors.encode(new long[] {2L * Integer.MAX_VALUE, 2}));
    expected.count = 2;
    expected.directionalVariance = 1;
    assertThat(bundle.seal()).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void denseReportsAreAddedInOrderOfArrival() {
    assertThat(sumOf(dense(1e16), dense(-1e16), dense(1)).values)
        .isEqualTo(PackedVectors.encode(new double[] {1}));
    assertThat(sumOf(dense(1), dense(1e16), dense(-1e16)).values)
        .as("the 1 is lost beside 1e16")
        .isEqualTo(PackedVectors.encode(new double[] {0}));
  }

  @Test
  void sparseReportsAreAddedWhereTheyNameACoordinate() {
    Bundle bundle = new Bundle(sparse(9, new int[] {7, 2}, 1e16, 4));
    bundle.add(sparse(9, new int[] {2, 0}, 0.5, 3));
    bundle.add(sparse(9, new int[] {7}, -1e16));
    bundle.add(sparse(9, new int[] {}));
    bundle.add(sparse(9, new int[] {7}, 1));
    RoundSum sum = bundle.seal();
    assertThat(sum.form).isEqualTo(VectorForm.SPARSE);
    assertThat(sum.dimension).isEqualTo(9);
    assertThat(sum.count).isEqualTo(5);
    assertThat(sum.indices).containsExactly(7, 2, 0);
    assertThat(sum.values).isEqualTo(PackedVectors.encode(new double[] {1, 4.5, 3}));
  }

  private static RoundSum sparse(int dimension, int[] indices, double... values) {
    RoundSum report = report(VectorForm.SPARSE, dimension, PackedVectors.encode(values));
    report.indices = indices;
    return report;
  }

  private static RoundSum sumOf(RoundSum first, RoundSum second, RoundSum third) {
    Bundle bundle = new Bundle(first);
    bundle.add(second);
    bundle.add(third);
    return bundle.seal();
  }

  @Test
  void positionsKeepTheOrderOfArrival() {
    Bundle bundle = new Bundle(at(3, 9));
    for (int i = 0; i < 5; i++) {
      bundle.add(at(i, 100 - i));
    }
    bundle.add(dense(1));
    RoundSum sum = bundle.seal();
    assertThat(sum.partitions).containsExactly(3, 0, 1, 2, 3, 4);
    assertThat(sum.offsets).containsExactly(9, 100, 99, 98, 97, 96);
    assertThat(sum.count).isEqualTo(7);
  }

  private static RoundSum at(int partition, long offset) {
    RoundSum report = dense(1);
    report.partitions = new int[] {partition};
    report.offsets = new long[] {offset};
    return report;
  }

  @Test
  void aBundleOfOneReportIsTheReportItself() {
    RoundSum negativeZero = dense(-0.0, 1);
    assertThat(new Bundle(negativeZero).seal()).isSameAs(negativeZero);
    assertThat(negativeZero.values).isEqualTo(PackedVectors.encode(new double[] {-0.0, 1}));
  }

  @Test
  void addingDoesNotChangeTheReports() {
    RoundSum first = dense(1, 2);
    RoundSum second = dense(3, 4);
    Bundle bundle = new Bundle(first);
    bundle.add(second);
    bundle.seal();
    assertThat(first).usingRecursiveComparison().isEqualTo(dense(1, 2));
    assertThat(second).usingRecursiveComparison().isEqualTo(dense(3, 4));
  }

  @Test
  void incompatibleReportsAreRefused() {
    Bundle bundle = new Bundle(dense(1, 2));
    assertThatThrownBy(() -> bundle.add(dense(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A DENSE report of dimension 1 in a bundle of DENSE reports of dimension 2");
    assertThatThrownBy(() -> bundle.add(grid(1, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A GRID report of dimension 2 in a bundle of DENSE reports of dimension 2");
    RoundSum sum = report(VectorForm.GRID_SUM, 1, new byte[8]);
    assertThatThrownBy(() -> new Bundle(sum).add(sum))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Reports of form GRID_SUM are not bundled");
  }
}
