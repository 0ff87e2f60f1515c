package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.apache.commons.numbers.gamma.Erfcx;
import org.junit.jupiter.api.Test;

class GaussianTailTest {
  private static final double TOLERANCE = 3e-15;

  /** d, mass, moment; mpmath with 60 digits, rounded. */
  private static final double[][] VALUES = {
    {0, 0.886226925452758, 0.5},
    {0.03125, 0.8558224511565811, 0.47325554840135686},
    {0.5, 0.545641360765047, 0.22717931961747648},
    {1.97, 0.22921161793367664, 0.04845311267065704},
    {5.28, 0.0930826534474049, 0.008523589797702067},
    {11.96, 0.04166139394702606, 0.001729728393568291},
    {11.97, 0.04162682798463861, 0.0017268690238757612},
    {12, 0.0415234722345133, 0.0017183331858403703},
    {40.5, 0.012341919095831422, 0.00015227661882741527},
    {1e5, 4.99999999975e-06, 2.499999999625e-11},
    {1e100, 5e-101, 2.5e-201},
  };

  @Test
  void agreesWithSixtyDigits() {
    for (double[] value : VALUES) {
      assertRelative(value[0], GaussianTail.mass(value[0]), value[1]);
      assertRelative(value[0], GaussianTail.moment(value[0]), value[2]);
    }
  }

  @Test
  void massIsAScaledComplementaryErrorFunction() {
    for (double d = 0; d < 30; d += 1.0 / 2049) {
      double reference = Math.sqrt(Math.PI) / 2 * Erfcx.value(d);
      assertRelative(d, GaussianTail.mass(d), reference);
    }
  }

  /**
   * The continued fraction of Laplace, all of whose terms are positive: M_n = n M_(n-1) / (...).
   */
  @Test
  void agreesWithAContinuedFraction() {
    for (double d = 1; d < 30; d += 1.0 / 257) {
      double ratio = 0;
      for (int n = 800; n >= 1; n--) {
        ratio = n / (2 * (d + ratio));
      }
      double mass = 0.5 / (d + ratio);
      assertRelative(d, GaussianTail.mass(d), mass);
      assertRelative(d, GaussianTail.moment(d), ratio * mass);
    }
  }

  private static void assertRelative(double d, double actual, double reference) {
    assertThat(actual).as("d = %s", d).isCloseTo(reference, withinPercentage(100 * TOLERANCE));
  }
}
