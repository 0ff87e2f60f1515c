package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RunningAverageTest {
  private static final int ROUNDS = 10_000_000;

  /** The documented accuracy, relative to the largest iterate. */
  private static final double BOUND =
      (RunningAverage.BLOCK + ROUNDS / (double) RunningAverage.BLOCK) * 0x1p-52;

  private static void take(RunningAverage average, double decay, double iterate) {
    average.advance(decay);
    average.recent[0] += average.gain() * (iterate - average.recent[0]);
  }

  private static double value(RunningAverage average) {
    double[] value = new double[1];
    average.copy(value);
    return value[0];
  }

  /** Weights like those of a young learner, huge for a while, then tiny, in one average. */
  @Test
  void tenMillionTinyAndHugeIterates() {
    RunningAverage average = new RunningAverage(1);
    RunningSum exact = new RunningSum();
    SplittableRandom random = new SplittableRandom(1);
    double largest = 0;
    for (int t = 1; t <= ROUNDS; t++) {
      double size = t < 10_000 ? 1e12 : t % 3 == 0 ? 1e-9 : 1;
      double iterate = size * (random.nextDouble() - 0.3);
      largest = Math.max(largest, Math.abs(iterate));
      exact.add(iterate);
      take(average, t == 1 ? 0 : 1, iterate);
    }
    assertThat(value(average)).isCloseTo(exact.value() / ROUNDS, within(BOUND * largest));
  }

  /** A single layer stops changing where an iterate moves it by less than half its last bit. */
  @Test
  void followsASlowDriftOverTenMillionRounds() {
    RunningAverage average = new RunningAverage(1);
    RunningSum exact = new RunningSum();
    double singleLayer = 0;
    for (int t = 1; t <= ROUNDS; t++) {
      double iterate = 1 + 1e-7 * t / ROUNDS;
      exact.add(iterate);
      take(average, t == 1 ? 0 : 1, iterate);
      singleLayer += (iterate - singleLayer) / t;
    }
    double mean = exact.value() / ROUNDS;
    assertThat(value(average)).isCloseTo(mean, within(BOUND));
    assertThat(Math.abs(singleLayer - mean)).isGreaterThan(3 * BOUND);
  }

  @Test
  void weighsIteratesAcrossBlocks() {
    for (double degree : new double[] {0, 1, 3, 40}) {
      Averaging averaging = new Averaging(degree);
      RunningAverage average = new RunningAverage(1);
      SplittableRandom random = new SplittableRandom(2);
      int rounds = 5 * RunningAverage.BLOCK / 2;
      double sum = 0;
      double weights = 0;
      for (int t = 1; t <= rounds; t++) {
        double iterate = random.nextDouble() + (double) t / rounds;
        double weight = Math.pow((double) t / rounds, degree);
        sum += weight * iterate;
        weights += weight;
        take(average, averaging.decay(t), iterate);
      }
      assertThat(value(average)).isCloseTo(sum / weights, within(1e-11));
    }
  }

  @Test
  void weightsThatGrowBeyondDoublesOutweighEarlierIterates() {
    RunningAverage average = new RunningAverage(1);
    for (int t = 1; t <= 2 * RunningAverage.BLOCK; t++) {
      take(average, t == 1 ? 0 : 0.5, t);
    }
    assertThat(value(average)).isCloseTo(2 * RunningAverage.BLOCK - 1, within(1e-9));
  }

  /** The settled layer is state, too. */
  @Test
  void continuesUnchangedAfterASaveAnywhere() {
    Averaging averaging = new Averaging(2);
    RunningAverage straight = new RunningAverage(1);
    RunningAverage stopped = new RunningAverage(1);
    SplittableRandom random = new SplittableRandom(4);
    for (int t = 1; t <= 5 * RunningAverage.BLOCK / 2; t++) {
      double iterate = random.nextDouble();
      take(straight, averaging.decay(t), iterate);
      take(stopped, averaging.decay(t), iterate);
      if (random.nextInt(1000) == 0) {
        Map<String, byte[]> store = new HashMap<>();
        stopped.visit(StateChunks.writer(store::put));
        stopped = new RunningAverage(1);
        stopped.visit(StateChunks.reader(store::get));
      }
    }
    assertThat(value(stopped)).isEqualTo(value(straight));
  }
}
