package io.croupier.operators.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.learner.StateChunks;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The properties of every prefix sum with noise. */
class PrefixSumTest {
  private static final int STEPS = 40;
  private static final NoiseLevel LEVEL = new NoiseLevel(1, 2, -16);

  /**
   * The exponent of the bounds: a statistic exceeds them with a probability below 2 exp(-25) =
   * 3e-11.
   */
  private static final double LOG = 25;

  static Stream<PrefixNoise> all() {
    return Stream.of(
        TreeNoise.of(Estimator.VANILLA),
        TreeNoise.of(Estimator.HONAKER),
        new TreeNoise(Estimator.VANILLA, 11, Completion.BEFORE_RESTART),
        new TreeNoise(Estimator.HONAKER, 11, Completion.NONE),
        new TreeNoise(Estimator.HONAKER, 11, Completion.BEFORE_RESTART),
        BltNoise.optimal(1, STEPS, ParticipationLimits.ONCE),
        BltNoise.optimal(3, STEPS, new ParticipationLimits(4, 9)));
  }

  private static long[] round(Random random, int dimension) {
    return random.longs(dimension, -1L << 40, 1L << 40).toArray();
  }

  @ParameterizedTest
  @MethodSource("all")
  void withoutNoiseItIsTheExactSum(PrefixNoise noise) {
    Random random = new Random(1);
    PrefixSum sum = TestNoise.none(noise, 3, -20);
    long[] exact = new long[3];
    double[] prefix = new double[3];
    for (int t = 1; t <= STEPS; t++) {
      long[] round = round(random, 3);
      sum.add(round, prefix);
      Arrays.setAll(exact, i -> exact[i] + round[i]);
      assertThat(sum.round()).isEqualTo(t);
      assertThat(prefix).isEqualTo(Arrays.stream(exact).mapToDouble(x -> x * 0x1p-20).toArray());
    }
  }

  /**
   * The squares of d independent normal variates in units of the variance are chi-square, with the
   * bounds of Laurent and Massart. 7 mechanisms of 40 steps: one false alarm in 1e8 choices of the
   * seeds.
   */
  @Tag("ci")
  @ParameterizedTest
  @MethodSource("all")
  void everyPrefixHasItsVariance(PrefixNoise noise) {
    int d = 4000;
    PrefixSum sum = TestNoise.seeded(noise, d, -34, 7);
    double[] prefix = new double[d];
    for (int t = 1; t <= STEPS; t++) {
      sum.add(new long[d], prefix);
      // The deviation is 2^24 steps of 2^-44.
      double chiSquare = Responses.dot(prefix, prefix) * 0x1p40 / noise.variance(t);
      assertThat(chiSquare)
          .as("%s, prefix %s", noise, t)
          .isBetween(d - 2 * Math.sqrt(d * LOG), d + 2 * Math.sqrt(d * LOG) + 2 * LOG);
    }
  }

  /** The noise in use has the given level. */
  @ParameterizedTest
  @MethodSource("all")
  void secureNoiseHasTheGivenLevel(PrefixNoise noise) {
    int d = 4000;
    double[] prefix = new double[d];
    noise.start(d, LEVEL, 0).add(new long[d], prefix);
    double chiSquare = Responses.dot(prefix, prefix) / 4;
    assertThat(chiSquare)
        .isBetween(d - 2 * Math.sqrt(d * LOG), d + 2 * Math.sqrt(d * LOG) + 2 * LOG);
    double[] other = new double[d];
    noise.start(d, LEVEL, 0).add(new long[d], other);
    assertThat(other).isNotEqualTo(prefix);
  }

  /** The release is a function of noisy sums alone: exact sums only shift it. */
  @ParameterizedTest
  @MethodSource("all")
  void exactSumsOnlyShiftTheRelease(PrefixNoise noise) {
    Random random = new Random(2);
    PrefixSum zero = TestNoise.seeded(noise, 5, 0, 3);
    PrefixSum shifted = TestNoise.seeded(noise, 5, 0, 3);
    double[] noiseAlone = new double[5];
    double[] prefix = new double[5];
    long[] exact = new long[5];
    for (int t = 1; t <= STEPS; t++) {
      long[] round = random.longs(5, -1 << 20, 1 << 20).toArray();
      Arrays.setAll(exact, i -> exact[i] + round[i]);
      zero.add(new long[5], noiseAlone);
      shifted.add(round, prefix);
      for (int i = 0; i < 5; i++) {
        assertThat(prefix[i]).isEqualTo(noiseAlone[i] + exact[i]);
      }
    }
  }

  /** Saves a state, and checks that its parts have names of their own. */
  private static Map<String, byte[]> saved(PrefixSum sum) {
    Map<String, byte[]> store = new HashMap<>();
    sum.visit(StateChunks.writer((name, bytes) -> assertThat(store.put(name, bytes)).isNull()));
    return store;
  }

  private static void restore(PrefixSum sum, Map<String, byte[]> store) {
    sum.visit(StateChunks.reader(store::get));
  }

  /** The vectors besides the parameters. */
  private static List<String> vectors(Map<String, byte[]> store) {
    return store.keySet().stream()
        .filter(name -> name.endsWith("/0") && !name.matches("(theta|omega)/0"))
        .toList();
  }

  private static final class Counting implements NodeNoise {
    private long draws;
    private final long value;

    Counting(long value) {
      this.value = value;
    }

    @Override
    public void draw(long[] into) {
      draws++;
      Arrays.setAll(into, i -> value * draws);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void aRestoredStateKeepsItsNoiseAndDrawsLaterNoiseAnew(PrefixNoise noise) {
    for (int t = 1; t < STEPS; t++) {
      Counting before = new Counting(1 << 20);
      PrefixSum sum = TestNoise.start(noise, 2, TestNoise.GRID, before);
      double[] prefix = new double[2];
      for (int s = 1; s <= t; s++) {
        sum.add(new long[] {s, -s}, prefix);
      }
      Map<String, byte[]> store = saved(sum);
      assertThat((long) vectors(store).size()).isEqualTo(noise.vectors(t));
      Counting none = new Counting(0);
      Counting fresh = new Counting(1_234_567);
      PrefixSum withoutNewNoise = TestNoise.start(noise, 2, TestNoise.GRID, none);
      PrefixSum restored = TestNoise.start(noise, 2, TestNoise.GRID, fresh);
      restore(withoutNewNoise, store);
      restore(restored, store);
      assertThat(restored.round()).isEqualTo(t);
      assertThat(saved(restored)).usingRecursiveComparison().isEqualTo(store);

      long drawn = before.draws;
      double[] old = prefix.clone();
      sum.add(new long[2], prefix);
      double[] kept = new double[2];
      withoutNewNoise.add(new long[2], kept);
      double[] next = new double[2];
      restored.add(new long[2], next);
      // A restore doesn't change the number of draws: no draw is repeated.
      assertThat(fresh.draws).isEqualTo(before.draws - drawn).isEqualTo(none.draws);
      assertThat(next).isNotEqualTo(prefix);
      if (noise instanceof TreeNoise tree && tree.stepsOfTree(t + 1) % 2 == 1) {
        // The new step is a separate leaf: the earlier noise stays, to the last bit.
        boolean completed =
            tree.completion() == Completion.BEFORE_RESTART && tree.stepsOfTree(t + 1) == 1;
        assertThat(Arrays.equals(kept, old)).isEqualTo(!completed);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void noiseThatIsMissingFromTheStateIsNoticed(PrefixNoise noise) {
    PrefixSum sum = TestNoise.seeded(noise, 2, 0, 1);
    for (int t = 0; t < 13; t++) {
      sum.add(new long[2], new double[2]);
    }
    Map<String, byte[]> complete = saved(sum);
    List<String> noises = new ArrayList<>(vectors(complete));
    noises.remove("sum/0");
    for (String name : noises) {
      Map<String, byte[]> store = new HashMap<>(complete);
      store.remove(name);
      assertThatIllegalStateException()
          .as(name)
          .isThrownBy(() -> restore(TestNoise.seeded(noise, 2, 0, 2), store))
          .withMessageContaining(name.replace("/0", ""));
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void theStateHasNoGeneratorAndIsNotSerializable(PrefixNoise noise) throws Exception {
    PrefixSum sum = noise.start(2, LEVEL, 0);
    assertThat(sum).isNotInstanceOf(Serializable.class);
    assertThat(sum.getClass().getMethod("toString").getDeclaringClass()).isEqualTo(Object.class);
  }

  @ParameterizedTest
  @MethodSource("all")
  void refusesShapes(PrefixNoise noise) {
    PrefixSum sum = noise.start(2, LEVEL, 0);
    assertThatThrownBy(() -> sum.add(new long[3], new double[2]))
        .hasMessage("roundSum has 3 coordinates; the model has 2");
    assertThatThrownBy(() -> sum.add(new long[2], new double[3]))
        .hasMessage("prefix has 3 coordinates; the model has 2");
    assertThat(sum.round()).isZero();
    assertThatThrownBy(() -> noise.start(0, LEVEL, 0)).hasMessageContaining("dimension is 0");
    assertThatThrownBy(() -> noise.variance(0)).hasMessageContaining("step is 0");
  }

  @Test
  void aBltStopsAtItsHorizon() {
    BltNoise noise = BltNoise.optimal(2, 3, ParticipationLimits.ONCE);
    PrefixSum sum = noise.start(1, LEVEL, 0);
    for (int t = 0; t < 3; t++) {
      sum.add(new long[1], new double[1]);
    }
    assertThatThrownBy(() -> sum.add(new long[1], new double[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("horizon of 3 steps");
    assertThat(sum.round()).isEqualTo(3);
  }

  @Test
  void zetaIsThatOfTheAccounting() {
    ParticipationLimits limits = new ParticipationLimits(8, 127);
    assertThat(TreeNoise.of(Estimator.HONAKER).zeta(1024, limits)).isEqualTo(176);
    assertThat(TreeNoise.of(Estimator.VANILLA).zeta(1024, ParticipationLimits.ONCE)).isEqualTo(11);
    assertThat(
            new TreeNoise(Estimator.HONAKER, 5, Completion.BEFORE_RESTART)
                .zeta(10, ParticipationLimits.ONCE))
        .isEqualTo(4);
  }

  @Test
  void refusesNoiseThatDoesNotFitTheGrid() {
    TreeNoise tree = TreeNoise.of(Estimator.HONAKER);
    assertThatThrownBy(() -> tree.start(1, new NoiseLevel(1, 1, -40), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at gridExponent -40; gridExponent -24 would do");
    assertThatThrownBy(() -> tree.start(1, new NoiseLevel(1, 1, 300), 0))
        .hasMessageContaining("at gridExponent 300");
    assertThatThrownBy(() -> new NoiseLevel(1, 0, 0))
        .hasMessage("noiseMultiplier is 0.0; it must be positive and finite");
    assertThatThrownBy(() -> new NoiseLevel(Double.NaN, 1, 0))
        .hasMessageContaining("clipNorm is NaN");
    assertThatThrownBy(() -> new TreeNoise(Estimator.HONAKER, 5, Completion.EVERY_TREE))
        .hasMessageContaining("completion is EVERY_TREE");
  }

  @Test
  void deviationsAreNeverRoundedDown() {
    for (double sigma : new double[] {1e-3, 0.3, 1, 1.7, 300}) {
      NoiseGrid grid = NoiseGrid.of(new NoiseLevel(1.3, sigma, -16), 25, 0);
      assertThat(grid.deviation() * Math.scalb(1.0, -16 - grid.shift()))
          .isBetween(1.3 * sigma, 1.3 * sigma * (1 + 0x1p-23));
    }
  }

  /** The increase covers what rounding may add to the sensitivity. */
  @Test
  void aBltIsNoisierByTheRoundingOfItsBuffers() {
    NoiseGrid exact = NoiseGrid.of(new NoiseLevel(1, 10, -16), 29, 0);
    NoiseGrid raised = NoiseGrid.of(new NoiseLevel(1, 10, -16), 29, 1e6);
    assertThat(raised.shift()).isEqualTo(exact.shift());
    assertThat(raised.deviation() - exact.deviation()).isBetween(10_000_000, 10_000_001);
    assertThatThrownBy(() -> NoiseGrid.of(new NoiseLevel(1, 10, -16), 29, 1e9))
        .hasMessageContaining("noiseMultiplier is 10.0");
  }
}
