package io.croupier.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearningLawTest {
  private static final LearningLaw LAW = new LearningLaw(20, 5);

  @Test
  void halfIsMissedAtTheHalf() {
    assertThat(LAW.missed(20).likely()).isEqualTo(0.5);
    assertThat(LAW.missed(60).likely()).isEqualTo(0.25);
    assertThat(LAW.missed(100).high()).isEqualTo(0.5);
    assertThat(LAW.missed(4).low()).isEqualTo(0.5);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 0.03, 1, 20, 700, 1e5, 1e12})
  void theLikelyShareIsWithinTheLimits(double signal) {
    Band missed = LAW.missed(signal);
    assertThat(missed.low()).isBetween(0.0, missed.likely());
    assertThat(missed.high()).isBetween(missed.likely(), 1.05);
    assertThat(missed.contains(missed.likely())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.1, 0.5, 0.9, 0.999})
  void theSignalOfAShareIsTheInverse(double missed) {
    Band signal = LAW.signal(missed);
    assertThat(LAW.missed(signal.likely()).likely()).isCloseTo(missed, within(1e-12));
    assertThat(signal.high()).isEqualTo(5 * signal.likely());
    assertThat(signal.low()).isEqualTo(signal.likely() / 5);
  }

  /** Noise of variance v is worth 1 + v people, four times the features twice as many. */
  @Test
  void theSignalOfAReport() {
    double signal = LearningLaw.signal(5, 0.2, 9);
    assertThat(signal).isCloseTo(0.02, within(1e-15));
    assertThat(LearningLaw.signal(5, 0.2, 19)).isCloseTo(signal / 2, within(1e-15));
    assertThat(LearningLaw.signal(20, 0.2, 9)).isCloseTo(signal / 2, within(1e-15));
    assertThat(LearningLaw.signal(5, 0.05, 9)).isCloseTo(signal / 2, within(1e-15));
  }
}
