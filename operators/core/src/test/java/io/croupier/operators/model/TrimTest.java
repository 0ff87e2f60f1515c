package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.VectorForm;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrimTest {
  private static final double G = 0.5;
  private static final int GRID_EXPONENT = -17;
  private static final int D = 7;

  private static RoundSum report(VectorForm form, double... values) {
    RoundSum report = new RoundSum();
    report.form = form;
    report.dimension = values.length;
    report.count = 1;
    if (form == VectorForm.GRID) {
      report.values = PackedVectors.encode(TestSums.fewSteps(values, GRID_EXPONENT));
    } else {
      report.values = PackedVectors.encode(values);
    }
    if (form == VectorForm.SPARSE) {
      report.indices = IntStream.range(0, values.length).toArray();
    }
    return report;
  }

  private static double[] decoded(RoundSum report) {
    double[] values = new double[report.dimension];
    PackedVectors.decode(report.form, report.values, report.indices, GRID_EXPONENT, 1, values);
    return values;
  }

  private static double[] random(SplittableRandom random, double norm) {
    double[] v = new double[D];
    Arrays.setAll(v, j -> random.nextGaussian());
    Vectors.scale(norm / Math.sqrt(Vectors.squaredNorm(v)), v, v);
    return v;
  }

  @ParameterizedTest
  @EnumSource(names = {"DENSE", "GRID", "SPARSE"})
  void aLongReportKeepsItsDirectionAndHasTwiceTheBound(VectorForm form) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 200; i++) {
      double norm = 2 * G * (1.001 + 50 * random.nextDouble());
      RoundSum report = report(form, random(random, norm));
      double[] before = decoded(report);
      new Trim(G, GRID_EXPONENT, false).apply(report);
      double[] after = decoded(report);
      double length = Math.sqrt(Vectors.squaredNorm(before));
      Vectors.scale(2 * G / length, before, before);
      for (int j = 0; j < D; j++) {
        double rounding = form == VectorForm.GRID ? Math.scalb(1.0, GRID_EXPONENT) : 0;
        assertThat(after[j]).isCloseTo(before[j], within(rounding + 1e-15));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DENSE", "GRID", "SPARSE"})
  void aReportWithinTwiceTheBoundStaysAsItIs(VectorForm form) {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 200; i++) {
      RoundSum report = report(form, random(random, 2 * G * 0.999 * random.nextDouble()));
      byte[] before = report.values;
      new Trim(G, GRID_EXPONENT, false).apply(report);
      assertThat(report.values).isSameAs(before);
    }
  }

  /** Rounded to the nearest step of so coarse a grid, the norm would be 3.9. */
  @Test
  void roundingToTheGridDoesNotExceedTheBound() {
    RoundSum report = new RoundSum();
    report.form = VectorForm.GRID;
    int[] steps = new int[60];
    Arrays.fill(steps, 5);
    report.values = PackedVectors.encode(steps);
    new Trim(1, -1, false).apply(report);
    assertThat(PackedVectors.squaredNorm(report.form, report.values, -1)).isLessThanOrEqualTo(4);
  }

  /** Squares of such values overflow, or lose all digits. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-300, 1e-180, 1e160, 1e300})
  void extremeLengthsAreTrimmedToo(double scale) {
    RoundSum report = report(VectorForm.DENSE, 3e3 * scale, -4e3 * scale);
    new Trim(scale, GRID_EXPONENT, false).apply(report);
    assertThat(decoded(report)[0] / scale).isCloseTo(1.2, within(1e-14));
    assertThat(decoded(report)[1] / scale).isCloseTo(-1.6, within(1e-14));
  }

  /** Where G bounds each coordinate, it doesn't bound the norm. */
  @ParameterizedTest
  @EnumSource(names = {"DENSE", "GRID", "SPARSE"})
  void byCoordinateEachIsLimitedToTwiceTheBound(VectorForm form) {
    RoundSum report = report(form, 1.5, -7, 0.25, 1, -1, 1.0001, 0);
    new Trim(G, GRID_EXPONENT, true).apply(report);
    assertThat(decoded(report)).containsExactly(1, -1, 0.25, 1, -1, 1, 0);
    RoundSum within = report(form, 1, -1, 0.5, 0, 0, 0, 0.99);
    byte[] before = within.values;
    new Trim(G, GRID_EXPONENT, true).apply(within);
    assertThat(within.values).isEqualTo(before);
  }

  @Test
  void valuesThatAreNotFiniteBecomeZero() {
    RoundSum report = report(VectorForm.DENSE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    new Trim(G, GRID_EXPONENT, true).apply(report);
    assertThat(decoded(report)).containsOnly(0);
  }
}
