package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.function.DoubleFunction;
import org.apache.commons.numbers.gamma.RegularizedGamma;
import org.junit.jupiter.api.Test;

class PlausibilityTest {
  private static final double TAIL = 0x1p-40;
  private static final String LEARNER = "adaptive_radius {}";
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private static Plausibility plausibility(ModelSpec spec) {
    return new Plausibility(spec, new SpecGradients(spec, new PrivUnitLaws()));
  }

  private static boolean plausible(Plausibility plausibility, ReportDraft report) {
    return plausibility.plausible(report.build());
  }

  private static boolean plausible(Plausibility plausibility, Mechanism by, double x) {
    return plausible(plausibility, Specs.report(by, x, 0, 0));
  }

  @Test
  void quantilesLeaveTheTailAndAreRoundedUp() {
    for (int d : new int[] {1, 2, 3, 10, 1000, 1_000_000}) {
      double radius = NoiseTail.gamma(d);
      assertTail(RegularizedGamma.Q.value(d, radius));
      assertTail(RegularizedGamma.Q.value(d / 2.0, NoiseTail.gamma(d / 2.0)));
    }
  }

  private static void assertTail(double tail) {
    assertThat(tail).isLessThanOrEqualTo(TAIL).isCloseTo(TAIL, within(1e-6 * TAIL));
  }

  /** In one dimension both are classical: exp(-x), and twice the normal's 7.1 sigma. */
  @Test
  void knownQuantiles() {
    assertThat(NoiseTail.gamma(1)).isCloseTo(40 * Math.log(2), within(1e-9));
    assertThat(Math.sqrt(2 * NoiseTail.gamma(0.5))).isCloseTo(7.1444, within(1e-3));
  }

  @Test
  void boundaryOfL2Laplace() {
    Plausibility plausibility = plausibility(Specs.of(3, 2, LEARNER));
    double longest = 2 + NoiseTail.gamma(3) * 4 / 0.5 + Math.sqrt(3) * Math.scalb(1.0, -15);
    assertThat(plausible(plausibility, new L2LaplaceMechanism(0.5), longest * (1 - 1e-12)))
        .isTrue();
    assertThat(plausible(plausibility, new L2LaplaceMechanism(0.5), longest * (1 + 1e-12)))
        .isFalse();
  }

  @Test
  void boundaryOfGaussian() {
    Plausibility plausibility = plausibility(Specs.of(3, 2, LEARNER));
    double longest =
        2 + Math.sqrt(2 * NoiseTail.gamma(1.5)) * 4 / 0.5 + Math.sqrt(3) * Math.scalb(1.0, -15);
    assertThat(plausible(plausibility, new GaussianMechanism(0.5), -longest * (1 - 1e-12)))
        .isTrue();
    assertThat(plausible(plausibility, new GaussianMechanism(0.5), -longest * (1 + 1e-12)))
        .isFalse();
  }

  @Test
  void boundaryOfEachCoordinate() {
    Plausibility plausibility = plausibility(Specs.of(3, 2, LEARNER));
    double step = Math.scalb(1.0, -15);
    double largest = 2 + 4 / 0.5 * 40 * Math.log(2) + step;
    double[] taus = {0.5, 8, INFINITY};
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, -largest, 1, 2 + step)))
        .isTrue();
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, -largest * 1.0001, 1, 2)))
        .isFalse();
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, 1, largest, 1))).isFalse();
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, 0, 0, 2.0001))).isFalse();
  }

  @Test
  void sparseValuesMeetTheTausOfTheirCoordinates() {
    Plausibility plausibility = plausibility(Specs.of(3, 1, LEARNER));
    double[] taus = {INFINITY, 1};
    ReportDraft report = Specs.coordinateLaplace(taus, 1, 20);
    report.form = VectorForm.SPARSE;
    report.dimension = 3;
    report.indices = new int[] {2, 0};
    assertThat(plausible(plausibility, report)).isTrue();
    report.values = PackedVectors.encode(new double[] {20, 1});
    assertThat(plausible(plausibility, report)).isFalse();
  }

  @Test
  void gridValuesCountInSteps() {
    Plausibility plausibility = plausibility(Specs.of(2, 1, "grid_exponent: -2 " + LEARNER));
    ReportDraft report = Specs.report(new GaussianMechanism(Double.MAX_VALUE), 0, 0);
    report.form = VectorForm.GRID;
    report.values = PackedVectors.encode(new int[] {4, 0});
    assertThat(plausible(plausibility, report)).isTrue();
    report.values = PackedVectors.encode(new int[] {6, 0});
    assertThat(plausible(plausibility, report)).isFalse();
  }

  @Test
  void undisclosedNoiseHasNoQuantileButTheBoundOfTheSpec() {
    Plausibility open = plausibility(Specs.of(3, 1, LEARNER));
    assertThat(plausible(open, UndisclosedNoise.UNDISCLOSED, 1e150)).isTrue();
    assertThat(plausible(open, UndisclosedNoise.UNDISCLOSED, 1e155)).isFalse();
    Plausibility bounded = plausibility(Specs.of(3, 1, "report_bound: 10 " + LEARNER));
    assertThat(plausible(bounded, UndisclosedNoise.UNDISCLOSED, 10)).isTrue();
    assertThat(plausible(bounded, UndisclosedNoise.UNDISCLOSED, 10.001)).isFalse();
    assertThat(plausible(bounded, new L2LaplaceMechanism(1e-3), 10.001)).isFalse();
  }

  /** For every privacy level, the bound is a number, not NaN. */
  @Test
  void extremeLevels() {
    Plausibility plausibility = plausibility(Specs.of(3, 1, LEARNER));
    for (DoubleFunction<Mechanism> by :
        List.<DoubleFunction<Mechanism>>of(L2LaplaceMechanism::new, GaussianMechanism::new)) {
      assertThat(plausible(plausibility, by.apply(Double.MAX_VALUE), 0.9)).isTrue();
      assertThat(plausible(plausibility, by.apply(Double.MAX_VALUE), 1.1)).isFalse();
      assertThat(plausible(plausibility, by.apply(Double.MIN_VALUE), 1e100)).isTrue();
      assertThat(plausible(plausibility, by.apply(1), Double.MAX_VALUE)).isFalse();
      assertThat(plausible(plausibility, by.apply(1), Double.NaN)).isFalse();
    }
    double[] taus = {Double.MIN_VALUE, 1, INFINITY};
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, 1e100, 1, 1))).isTrue();
    assertThat(plausible(plausibility, Specs.coordinateLaplace(taus, 1, Double.NaN, 1))).isFalse();
  }

  @Test
  void centralReportsAreAlwaysPlausible() {
    Plausibility plausibility = plausibility(Specs.of(3, 1, "report_bound: 10 " + LEARNER));
    assertThat(plausible(plausibility, CentralNoise.CENTRAL, 1e300)).isTrue();
  }
}
