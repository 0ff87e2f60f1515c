package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Round;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.Vectors;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgreementTest {
  private static final int ROUNDS = 240;

  private static Round dense(double... subgradient) {
    Round round = new Round(subgradient.length);
    System.arraycopy(subgradient, 0, round.subgradient, 0, subgradient.length);
    return round;
  }

  private static Round sparse(int dimension, int index, double value) {
    Round round = new Round(dimension);
    round.sparse(new int[] {index}, 1);
    round.subgradient[index] = value;
    return round;
  }

  /**
   * For n equal rounds, T is n^2 / 2 and sqrt(Q) is n^1.5 / sqrt(3): the ratio exceeds 3 at n = 13.
   */
  @Test
  void equalRoundsAgreeAtTheThirteenth() {
    Agreement agreement = new Agreement("agreement", 2);
    for (int i = 1; i <= 12; i++) {
      agreement.add(dense(0.5, -2));
      assertThat(agreement.isReached()).as("after %d", i).isFalse();
    }
    agreement.add(dense(0.5, -2));
    assertThat(agreement.isReached()).isTrue();
    agreement.clear();
    assertThat(agreement.isReached()).isFalse();
  }

  /**
   * Seeded. T over the root of its quadratic variation is below 3 in the whole run, except for a
   * few in a thousand runs.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1000})
  void noiseAloneRarelyAgrees(int dimension) {
    SplittableRandom random = new SplittableRandom(17);
    int reached = 0;
    for (int run = 0; run < 300; run++) {
      Agreement agreement = new Agreement("agreement", dimension);
      boolean everReached = false;
      for (int i = 0; i < ROUNDS; i++) {
        double[] noise = new double[dimension];
        for (int j = 0; j < dimension; j++) {
          noise[j] = random.nextGaussian();
        }
        agreement.add(dense(noise));
        everReached |= agreement.isReached();
      }
      reached += everReached ? 1 : 0;
    }
    assertThat(reached).isLessThan(12);
  }

  @Test
  void aDirectionInNoiseIsFound() {
    SplittableRandom random = new SplittableRandom(3);
    Agreement agreement = new Agreement("agreement", 4);
    for (int i = 0; i < ROUNDS && !agreement.isReached(); i++) {
      double[] g = new double[4];
      for (int j = 0; j < 4; j++) {
        g[j] = random.nextGaussian() + (j == 2 ? 1 : 0);
      }
      agreement.add(dense(g));
    }
    assertThat(agreement.isReached()).isTrue();
  }

  @Test
  void orthogonalRoundsNeverAgree() {
    Agreement agreement = new Agreement("agreement", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
      agreement.add(sparse(ROUNDS, i, 1));
    }
    assertThat(agreement.isReached()).isFalse();
  }

  @Test
  void sparseAndDenseRoundsAreTheSame() {
    Agreement mixed = new Agreement("agreement", 3);
    Agreement dense = new Agreement("agreement", 3);
    SplittableRandom random = new SplittableRandom(29);
    for (int i = 0; i < 200; i++) {
      int index = random.nextInt(3);
      double value = random.nextGaussian() + 0.3;
      Round sparse = sparse(3, index, value);
      mixed.add(i % 3 == 0 ? dense(sparse.subgradient) : sparse);
      dense.add(dense(sparse.subgradient));
      assertThat(mixed.isReached()).isEqualTo(dense.isReached());
      if (i % 50 == 49) {
        mixed.clear();
        dense.clear();
      }
    }
  }

  /**
   * Few coordinates are saved as a list, many as a vector; an instance restored from either
   * continues.
   */
  @Test
  void aSaveIsAsLargeAsTheTouchedCoordinates() {
    int d = 30_000;
    Agreement agreement = new Agreement("agreement", d);
    Agreement twin = new Agreement("agreement", d);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(31);
    for (int i = 0; i < 100; i++) {
      // The 71st round is dense, and the 81st begins anew.
      if (i == 80) {
        agreement.clear();
        twin.clear();
      }
      Round round =
          i == 70
              ? dense(random.doubles(d, -0.1, 1).toArray())
              : sparse(d, i, random.nextDouble() - 0.1);
      agreement.add(round);
      twin.add(round);
      Map<String, byte[]> written = new HashMap<>();
      agreement.save(StateChunks.writer(written::put));
      int bytes = written.values().stream().mapToInt(value -> value.length).sum();
      int listed = i < 70 ? i + 1 : i - 79;
      assertThat(bytes).isEqualTo(4 * 8 + (i >= 70 && i < 80 ? 8 * d : 2 * 8 * listed));
      store.putAll(written);
      store.keySet().removeIf(agreement::isObsolete);
      agreement = new Agreement("agreement", d);
      agreement.restore(StateChunks.reader(store::get));
      assertThat(agreement.isReached()).isEqualTo(twin.isReached());
    }
    Round dense = dense(random.doubles(d, 1, 2).toArray());
    agreement.add(dense);
    twin.add(dense);
    Map<String, byte[]> expected = new HashMap<>();
    twin.save(StateChunks.writer(expected::put));
    Map<String, byte[]> actual = new HashMap<>();
    agreement.save(StateChunks.writer(actual::put));
    assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
    assertThat(store).containsKeys("agreement-touched/0", "agreement-touched-sum/0");
  }

  /** A report's squared norm is finite, but its product with a sum of others may overflow. */
  @Test
  void hugeRoundsLeaveTheSumsFinite() {
    Agreement agreement = new Agreement("agreement", 2);
    for (int i = 0; i < 20; i++) {
      agreement.add(dense(1e154, -1e154));
    }
    assertThat(agreement.isReached()).as("such rounds are left out").isFalse();
    Map<String, byte[]> store = new HashMap<>();
    agreement.save(StateChunks.writer(store::put));
    Agreement restored = new Agreement("agreement", 2);
    restored.restore(StateChunks.reader(store::get));
    assertThat(restored.isReached()).isFalse();
    restored.clear();
    assertThat(restored.isObsolete("agreement-sum/0")).isTrue();
    assertThat(restored.isObsolete("agreement")).isFalse();
  }

  @Test
  void oneKernelComputesTheProductAndAdds() {
    SplittableRandom random = new SplittableRandom(5);
    for (int length = 0; length < 20; length++) {
      double[] summand = random.doubles(length, -1, 1).toArray();
      double[] sum = random.doubles(length, -1, 1).toArray();
      double product = Vectors.dot(summand, sum);
      double[] expected = sum.clone();
      Vectors.add(summand, expected);
      assertThat(Vectors.dotThenAdd(summand, sum)).isCloseTo(product, within(1e-15));
      assertThat(sum).containsExactly(expected);
    }
  }
}
