package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contribution of a raw report never exceeds the bound that the noise is calibrated to. */
class ContributionTest {
  private static ModelSpec spec(int dimension, double clipNorm, int gridExponent) {
    ModelSpec.Builder spec = CentralSpecs.linear(CentralSpecs.TREE, 0.01);
    spec.getDpFtrlBuilder().setClipNorm(clipNorm);
    return spec.setDimension(dimension).setGridExponent(gridExponent).build();
  }

  private static VectorContent dense(double... values) {
    return VectorContent.whole(VectorForm.DENSE, PackedVectors.encode(values));
  }

  private static VectorContent grid(int... steps) {
    return VectorContent.whole(VectorForm.GRID, PackedVectors.encode(steps));
  }

  /** Of coordinates 7 and 900. */
  private static VectorContent sparse(double... values) {
    return new VectorContent(
        VectorForm.SPARSE, 1000, PackedVectors.encode(values), new int[] {7, 900});
  }

  private static ExampleContent example(double y, double... x) {
    return new ExampleContent(PackedVectors.encode(x), y);
  }

  private static RoundSum contribution(ModelSpec spec, Gradient report) {
    RoundSum sum = new RoundSum();
    new Contribution(spec, CentralMechanism.of(spec)).put(report, sum);
    return sum;
  }

  private static double[] values(RoundSum sum, int gridExponent) {
    int n = PackedVectors.count(sum.form, sum.values);
    double[] values = new double[n];
    double step = Math.scalb(1.0, gridExponent);
    Arrays.setAll(values, i -> PackedVectors.valueAt(sum.form, sum.values, i, step));
    return values;
  }

  private static BigDecimal squaredNorm(double[] values) {
    return Arrays.stream(values)
        .mapToObj(BigDecimal::new)
        .map(value -> value.multiply(value))
        .reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  @Test
  void withinTheNormValuesAreOnlyRoundedToTheGrid() {
    RoundSum sum = contribution(spec(3, 1, -4), dense(0.5, -0.24, 1 / 32.0));
    assertThat(sum.form).isEqualTo(VectorForm.GRID);
    assertThat(sum.dimension).isEqualTo(3);
    assertThat(values(sum, -4)).containsExactly(0.5, -0.1875, 0);
  }

  @Test
  void atTheNormNothingIsLost() {
    assertThat(values(contribution(spec(2, 1, -16), dense(0, -1)), -16)).containsExactly(0, -1);
    assertThat(values(contribution(spec(2, 0.625, -16), dense(0.375, 0.5)), -16))
        .containsExactly(0.375, 0.5);
  }

  @Test
  void beyondTheNormTheWholeVectorIsScaled() {
    double[] values = values(contribution(spec(2, 1, -20), dense(3, -4)), -20);
    assertThat(values[0]).isCloseTo(0.6, within(0x1p-20)).isLessThanOrEqualTo(0.6);
    assertThat(values[1]).isCloseTo(-0.8, within(0x1p-20)).isGreaterThanOrEqualTo(-0.8);
  }

  /** For all magnitudes of a double, in exact arithmetic. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-300, 1e-150, 1e-3, 1, 1 + 0x1p-50, 1e10, 1e160, 1e300})
  void theNormIsNeverExceeded(double length) {
    theNormIsNeverExceeded(length, -30);
    theNormIsNeverExceeded(length, -16);
  }

  private static void theNormIsNeverExceeded(double length, int gridExponent) {
    SplittableRandom random = new SplittableRandom(29);
    BigDecimal bound = new BigDecimal(1);
    for (int trial = 0; trial < 2000; trial++) {
      int d = 1 + random.nextInt(30);
      double[] direction = new double[d];
      double squares = 0;
      for (int i = 0; i < d; i++) {
        direction[i] = random.nextInt(4) == 0 ? 0 : random.nextDouble(-1, 1);
        squares += direction[i] * direction[i];
      }
      double norm = Math.sqrt(squares);
      for (int i = 0; i < d && norm > 0; i++) {
        direction[i] *= length / norm;
      }
      double[] clipped =
          values(contribution(spec(d, 1, gridExponent), dense(direction)), gridExponent);
      assertThat(squaredNorm(clipped)).isLessThanOrEqualTo(bound);
      if (length >= 1 && norm > 0) {
        double lost = 2 * d * Math.scalb(1.0, gridExponent);
        assertThat(Math.sqrt(squaredNorm(clipped).doubleValue())).isCloseTo(1, within(lost));
      }
    }
  }

  /** Where the factor that scales the vector to the norm is subnormal. */
  @Test
  void theNormIsNotExceededByTheLargestNumbers() {
    for (double clip : new double[] {0x1p-20, 0x1p-40, 0x1.8p-53, 1e-12, 8e-16, 2.6e-16}) {
      int exponent = Math.getExponent(clip) - 24;
      BigDecimal bound = new BigDecimal(clip).pow(2);
      for (double x : new double[] {Double.MAX_VALUE, 1.7e308, 1e308, 1e200, 1e-310}) {
        double[] one = values(contribution(spec(1, clip, exponent), dense(x)), exponent);
        double[] two = values(contribution(spec(2, clip, exponent), dense(x, -x / 3)), exponent);
        assertThat(squaredNorm(one)).isLessThanOrEqualTo(bound);
        assertThat(squaredNorm(two)).isLessThanOrEqualTo(bound);
        assertThat(one[0]).isCloseTo(Math.min(x, clip), within(clip * 0x1p-22));
      }
    }
  }

  @Test
  void gridReportsAreClippedLikeTheirValues() {
    RoundSum clipped = contribution(spec(2, 1, -16), grid(3 << 16, -4 << 16));
    assertThat(values(clipped, -16)[0]).isCloseTo(0.6, within(0x1p-16));
    assertThat(contribution(spec(2, 1, -16), grid(3, -4)).values)
        .isEqualTo(PackedVectors.encode(new int[] {3, -4}));
  }

  @Test
  void sparseReportsStaySparse() {
    RoundSum sum = contribution(spec(1000, 1, -20), sparse(3, -4));
    assertThat(sum.form).isEqualTo(VectorForm.SPARSE_SUM);
    assertThat(sum.indices).containsExactly(7, 900);
    for (double value : values(sum, -20)) {
      assertThat(value * 0x1p20).as("whole steps").isEqualTo(Math.rint(value * 0x1p20));
    }
    assertThat(values(sum, -20)[1]).isCloseTo(-0.8, within(0x1p-20));
  }

  @Test
  void examplesAddTheirMoments() {
    RoundSum sum =
        contribution(CentralSpecs.leastSquares(CentralSpecs.TREE, 1).build(), example(4, 2, 0));
    assertThat(sum.form).isEqualTo(VectorForm.GRID);
    assertThat(sum.dimension).isEqualTo(5);
    double[] moments = values(sum, -20);
    assertThat(moments[0]).as("y x / (L Y)").isCloseTo(1, within(0x1p-19));
    assertThat(moments[2]).as("x1^2 / L^2").isCloseTo(1, within(0x1p-19));
    assertThat(squaredNorm(moments)).isLessThanOrEqualTo(new BigDecimal(2));
  }

  @Test
  void vectorsThatAreNotFiniteAddNothing() {
    RoundSum sum = contribution(spec(2, 1, -16), dense(Double.NaN, Double.POSITIVE_INFINITY));
    assertThat(values(sum, -16)).containsExactly(0, 0);
  }

  /**
   * A contribution may be any vector within the norm; whether a report counts must not depend on
   * its values.
   */
  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void oneBadNumberMakesAReportZero(double bad) {
    assertThat(values(contribution(spec(2, 1, -16), dense(0.5, bad)), -16)).containsExactly(0, 0);

    assertThat(values(contribution(spec(1000, 1, -16), sparse(bad, 0.5)), -16))
        .containsExactly(0, 0);

    ModelSpec leastSquares = CentralSpecs.leastSquares(CentralSpecs.TREE, 1).build();
    assertThat(values(contribution(leastSquares, example(0, 1, bad)), -20))
        .hasSize(5)
        .containsOnly(0);
    assertThat(values(contribution(leastSquares, example(bad, 1, 0)), -20))
        .hasSize(5)
        .containsOnly(0);
  }
}
