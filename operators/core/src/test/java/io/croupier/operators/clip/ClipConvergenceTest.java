package io.croupier.operators.clip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.ResponseLaw;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.commons.math3.distribution.ConstantRealDistribution;
import org.apache.commons.math3.distribution.ExponentialDistribution;
import org.apache.commons.math3.distribution.LogNormalDistribution;
import org.apache.commons.math3.distribution.ParetoDistribution;
import org.apache.commons.math3.distribution.RealDistribution;
import org.apache.commons.math3.distribution.UniformRealDistribution;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Simulated devices with sizes of several laws. With N at its limit of 300, the share of sizes up
 * to the clip is a random walk around 0.2, of a standard deviation of at most 0.5 sqrt(0.01 q), q
 * the derivative of the share by ln c: at most 0.05 here, where q is at most 1. Seeds are fixed.
 */
class ClipConvergenceTest {
  private static final List<RealDistribution> LAWS =
      List.of(
          new LogNormalDistribution(null, 0, 1),
          new LogNormalDistribution(null, 0, 0.4),
          new ExponentialDistribution(null, 1),
          new UniformRealDistribution(null, 0, 1),
          new ParetoDistribution(null, 1, 1.2));

  /** Answers without randomisation to which all answers of a run amount. */
  private static final double INFORMATION = 20_000;

  /**
   * @param unit of the sizes; the tracker begins at 1
   * @param answersAPublication on average
   */
  record Devices(RealDistribution law, double unit, double epsilon, int answersAPublication) {
    @Override
    public String toString() {
      return "%s times %s, epsilon %s, %d answers a publication"
          .formatted(law.getClass().getSimpleName(), unit, epsilon, answersAPublication);
    }

    double share(double clip) {
      return law.cumulativeProbability(clip / unit);
    }

    /** A publication: devices compare their sizes with the clip, and answer. */
    void answer(ClipTracker tracker, double sizes, Random random) {
      double strength = ResponseLaw.ofEpsilon(epsilon).strength();
      int answers = answersAPublication == 1 ? 1 : random.nextInt(2 * answersAPublication + 1);
      double clip = tracker.clip();
      for (int i = 0; i < answers; i++) {
        double size = sizes * unit * law.inverseCumulativeProbability(random.nextDouble());
        double bit = size > clip ? 1 : -1;
        boolean isTrue = random.nextDouble() < (1 + strength) / 2;
        tracker.add(strength * (isTrue ? bit : -bit));
      }
      tracker.advance();
    }

    void answer(ClipTracker tracker, double sizes, Random random, int publications) {
      for (int i = 0; i < publications; i++) {
        answer(tracker, sizes, random);
      }
    }

    double informationAPublication() {
      double strength = ResponseLaw.ofEpsilon(epsilon).strength();
      return answersAPublication * strength * strength;
    }
  }

  static Stream<Devices> devices() {
    return LAWS.stream()
        .flatMap(
            law ->
                Stream.of(
                    new Devices(law, 1, 4, 1),
                    new Devices(law, 100, 1, 4),
                    new Devices(law, 0.01, 1, 10),
                    new Devices(law, 200, 8, 10),
                    new Devices(law, 5e-3, 4, 2)));
  }

  /**
   * The mean share of the second half is within 0.02 of 0.2: six standard deviations of some
   * 0.0035, after 70 correlation times of the random walk.
   */
  @Tag("ci")
  @ParameterizedTest
  @MethodSource("devices")
  void theMeanShareOfSizesUpToTheClipIsOneFifth(Devices devices) {
    ClipTracker tracker = new ClipTracker(1);
    Random random = new Random(7);
    int publications = (int) (INFORMATION / devices.informationAPublication());
    double sum = 0;
    for (int i = 0; i < 2 * publications; i++) {
      devices.answer(tracker, 1, random);
      if (i >= publications) {
        sum += devices.share(tracker.clip());
      }
    }
    assertThat(tracker.isScouting()).isFalse();
    assertThat(sum / publications).isCloseTo(0.2, within(0.02));
  }

  /**
   * 300 answers without randomisation: the share is between 0.02 and 0.5. Its standard deviation is
   * some 0.05 there.
   */
  @ParameterizedTest
  @MethodSource("devices")
  void someHundredAnswersFindTheMagnitude(Devices devices) {
    for (int seed = 1; seed <= 20; seed++) {
      ClipTracker tracker = new ClipTracker(1);
      Random random = new Random(seed);
      int publications = (int) Math.ceil(300 / devices.informationAPublication());
      devices.answer(tracker, 1, random, publications);
      assertThat(tracker.isScouting()).isFalse();
      assertThat(devices.share(tracker.clip())).as("seed %d", seed).isBetween(0.02, 0.5);
    }
  }

  /** Sizes shrink by a factor of 20, long after N has reached its limit. */
  @ParameterizedTest
  @MethodSource("devices")
  void theClipFollowsSizesThatShrink(Devices devices) {
    ClipTracker tracker = new ClipTracker(devices.unit());
    Random random = new Random(8);
    int publications = (int) Math.ceil(1500 / devices.informationAPublication());
    devices.answer(tracker, 1, random, publications);
    devices.answer(tracker, 0.05, random, publications);
    assertThat(devices.share(tracker.clip() * 20)).isBetween(0.02, 0.5);
  }

  static Stream<Devices> crowds() {
    return Stream.of(
        new Devices(new LogNormalDistribution(null, 0, 0.3), 30, 2, 600),
        new Devices(new LogNormalDistribution(null, 0, 0.8), 0.1, 2, 600),
        new Devices(new ConstantRealDistribution(1), 3, 1, 600),
        new Devices(new LogNormalDistribution(null, 0, 0.3), 30, 8, 6000));
  }

  /**
   * Hundreds of answers a publication: one publication moves the clip by at most 26 %, so it is
   * within a factor of 1.4 of the quantile for 300 publications, also where all sizes are equal.
   */
  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("crowds")
  void theClipSettlesAlsoWithManyAnswersAPublication(Devices devices) {
    ClipTracker tracker = new ClipTracker(1);
    Random random = new Random(9);
    devices.answer(tracker, 1, random, 100);
    double quantile = devices.unit() * devices.law().inverseCumulativeProbability(0.2);
    for (int i = 0; i < 300; i++) {
      devices.answer(tracker, 1, random);
      assertThat(tracker.clip()).isBetween(quantile / 1.4, quantile * 1.4);
    }
  }
}
