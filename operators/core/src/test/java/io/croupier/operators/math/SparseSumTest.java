package io.croupier.operators.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparseSumTest {
  /** One vector. */
  private static final int[] ONE = {};

  @Test
  void usageExample() {
    SparseSum sum = new SparseSum();
    sum.add(PackedVectors.encode(new long[] {1, 2}), new int[] {Integer.MAX_VALUE, 0}, ONE);
    sum.add(PackedVectors.encode(new long[] {3, 4}), new int[] {0, 5}, ONE);
    sum.add(PackedVectors.encode(new long[] {7}), new int[] {5}, new int[] {20});
    assertThat(sum.size()).isEqualTo(3);
    assertThat(sum.indices()).containsExactly(Integer.MAX_VALUE, 0, 5);
    assertThat(sum.sums()).containsExactly(1, 5, 11);
    assertThat(sum.touches()).containsExactly(1, 2, 21);
  }

  @Test
  void anEmptySumHasNoCoordinates() {
    SparseSum sum = new SparseSum();
    sum.add(new byte[0], new int[0], ONE);
    assertThat(sum.indices()).isEmpty();
    assertThat(sum.sums()).isEmpty();
    assertThat(sum.touches()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 5_000, 1 << 30})
  void sumsEqualThoseOfAMap(int dimension) {
    SplittableRandom random = new SplittableRandom(dimension);
    SparseSum sum = new SparseSum();
    Map<Integer, Long> expected = new LinkedHashMap<>();
    Map<Integer, Integer> touches = new LinkedHashMap<>();
    for (int vector = 0; vector < 200; vector++) {
      int[] indices = random.ints(random.nextInt(100), 0, dimension).distinct().toArray();
      long[] values = random.longs(indices.length, -(1L << 50), 1L << 50).toArray();
      sum.add(PackedVectors.encode(values), indices, ONE);
      for (int i = 0; i < indices.length; i++) {
        expected.merge(indices[i], values[i], Long::sum);
        touches.merge(indices[i], 1, Integer::sum);
      }
    }
    assertThat(IntStream.of(sum.indices()).boxed()).containsExactlyElementsOf(expected.keySet());
    assertThat(LongStream.of(sum.sums()).boxed()).containsExactlyElementsOf(expected.values());
    assertThat(IntStream.of(sum.touches()).boxed()).containsExactlyElementsOf(touches.values());
  }

  @Test
  void valuesAndCoordinatesMustBeAsMany() {
    assertThatThrownBy(() -> new SparseSum().add(new byte[16], new int[] {1}, ONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("2 values for a vector of 1 coordinates");
  }
}
