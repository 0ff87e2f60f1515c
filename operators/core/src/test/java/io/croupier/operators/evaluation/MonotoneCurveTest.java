package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class MonotoneCurveTest {
  /** A fraction below a threshold, with a mass. */
  private static AskedThreshold asked(double threshold, double fraction, double mass) {
    return new AskedThreshold(threshold, 0.5, true, 1, mass * (1 - 2 * fraction), mass, mass, mass);
  }

  @Test
  void neighboursThatDecreaseArePooled() {
    MonotoneCurve curve =
        new MonotoneCurve(List.of(asked(0.2, 0.6, 1), asked(0.4, 0.2, 3), asked(0.8, 0.9, 1)));
    // The first two are one point at (0.35, 0.3).
    assertThat(curve.inverse(0.3)).isCloseTo(0.35, within(1e-12));
    assertThat(curve.inverse(0.15)).isCloseTo(0.175, within(1e-12));
    assertThat(curve.inverse(0.6)).isCloseTo(0.35 + 0.45 / 2, within(1e-12));
    assertThat(curve.inverse(1)).isEqualTo(1);
    assertThat(curve.inverse(0)).isZero();
  }

  /** Whichever answers to one threshold come first, they are one point. */
  @Test
  void answersToOneThresholdAreOnePoint() {
    AskedThreshold left = asked(0.2, 0.3, 1000);
    AskedThreshold few = asked(0.6, 0.29, 10);
    AskedThreshold many = asked(0.6, 0.6, 1000);
    for (List<AskedThreshold> order : List.of(List.of(left, few, many), List.of(left, many, few))) {
      MonotoneCurve curve = new MonotoneCurve(order);
      assertThat(curve.inverse(0.3)).isCloseTo(0.2, within(1e-12));
      double together = (10 * 0.29 + 1000 * 0.6) / 1010;
      assertThat(curve.inverse(together)).isCloseTo(0.6, within(1e-12));
    }
  }
}
