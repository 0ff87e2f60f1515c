package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StateChunksTest {
  private final Map<String, byte[]> store = new HashMap<>();

  @Test
  void everythingIsRestoredBitForBit() {
    int length = 2 * StateChunks.VALUES_PER_CHUNK + 17;
    double[] vector = new SplittableRandom(1).doubles(length).toArray();
    vector[3] = Double.MIN_VALUE;
    vector[4] = -0.0;
    long[] counts = new SplittableRandom(2).longs(length).toArray();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.scalar("scalar", -1e-300);
    writer.count("count", Long.MIN_VALUE);
    writer.vector("vector", vector);
    writer.counts("counts", counts);

    assertThat(store).hasSize(2 + 3 + 3);
    assertThat(store.values()).allMatch(b -> b.length <= 8 * StateChunks.VALUES_PER_CHUNK);
    LearnerState.Visitor reader = StateChunks.reader(store::get);
    assertThat(reader.scalar("scalar", 0)).isEqualTo(-1e-300);
    assertThat(reader.count("count", 0)).isEqualTo(Long.MIN_VALUE);
    double[] vectorRead = new double[length];
    reader.vector("vector", vectorRead);
    assertThat(Arrays.equals(vectorRead, vector)).isTrue();
    long[] countsRead = new long[length];
    reader.counts("counts", countsRead);
    assertThat(countsRead).isEqualTo(counts);
  }

  @Test
  void unknownNamesKeepTheirInitialValue() {
    LearnerState.Visitor reader = StateChunks.reader(store::get);

    assertThat(reader.scalar("new", 4.5)).isEqualTo(4.5);
    assertThat(reader.count("new", 45)).isEqualTo(45);
    double[] initial = {1, 2};
    reader.vector("new", initial);
    assertThat(initial).containsExactly(1, 2);
  }

  @Test
  void aPartOfAnotherSizeIsRefused() {
    StateChunks.writer(store::put).vector("v", new double[3]);

    assertThatThrownBy(() -> StateChunks.reader(store::get).vector("v", new double[4]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'v/0' has 24 bytes where 32");
  }
}
