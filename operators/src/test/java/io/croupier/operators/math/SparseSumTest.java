package io.croupier.operators.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparseSumTest {

  @Test
  void usageExample() {
    SparseSum sum = new SparseSum();
    sum.add(PackedVectors.encode(new double[] {1, 2}), new int[] {Integer.MAX_VALUE, 0});
    sum.add(PackedVectors.encode(new double[] {3, 4}), new int[] {0, 5});
    assertThat(sum.indices()).containsExactly(Integer.MAX_VALUE, 0, 5);
    assertThat(sum.values()).isEqualTo(PackedVectors.encode(new double[] {1, 5, 4}));
  }

  @Test
  void anEmptySumHasNoCoordinates() {
    SparseSum sum = new SparseSum();
    sum.add(new byte[0], new int[0]);
    assertThat(sum.indices()).isEmpty();
    assertThat(sum.values()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 5_000, 1 << 30})
  void sumsEqualThoseOfAMapBitForBit(int dimension) {
    SplittableRandom random = new SplittableRandom(dimension);
    SparseSum sum = new SparseSum();
    Map<Integer, Double> expected = new LinkedHashMap<>();
    for (int vector = 0; vector < 200; vector++) {
      int[] indices = random.ints(random.nextInt(100), 0, dimension).distinct().toArray();
      double[] values = random.doubles(indices.length, -1e9, 1e9).toArray();
      sum.add(PackedVectors.encode(values), indices);
      for (int i = 0; i < indices.length; i++) {
        expected.put(indices[i], expected.getOrDefault(indices[i], 0.0) + values[i]);
      }
    }
    assertThat(IntStream.of(sum.indices()).boxed()).containsExactlyElementsOf(expected.keySet());
    double[] sums = expected.values().stream().mapToDouble(Double::doubleValue).toArray();
    assertThat(sum.values()).isEqualTo(PackedVectors.encode(sums));
  }

  @Test
  void valuesAndCoordinatesMustBeAsMany() {
    assertThatThrownBy(() -> new SparseSum().add(new byte[16], new int[] {1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("2 values for a vector of 1 coordinates");
  }
}
