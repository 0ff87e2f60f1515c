package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Round;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.report.VectorForm;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpenRoundTest {
  private static final int D = 4;

  private static OpenRound saved(OpenRound round) {
    Map<String, byte[]> store = new HashMap<>();
    round.save(StateChunks.writer(store::put));
    assertThat(store.keySet()).allMatch(OpenRound::isObsolete);
    OpenRound restored = new OpenRound(D, 2);
    restored.restore(StateChunks.reader(store::get));
    assertThat(restored.count()).isEqualTo(round.count());
    return restored;
  }

  private static RoundSum weighed(RoundSum sum, int exponent, double variance) {
    sum.weightExponent = exponent;
    sum.directionalVariance = variance;
    return sum;
  }

  /** Dense and sparse reports of two weights to two publications, before and after a restore. */
  @Test
  void hasAPartForEachPublication() {
    OpenRound open = new OpenRound(D, 2);
    open.add(weighed(TestSums.dense(7, 1, 2, 3, 4), 0, 0.5));
    open.add(weighed(TestSums.grid(7, -3, 8, 0, 0, 0), 2, 8));
    open.add(weighed(TestSums.sparse(7, D, new int[] {3, 1}, 10, 20), 2, 0));
    open.add(weighed(TestSums.sparse(3, D, new int[] {2}, 6), 1, 2));
    open.add(weighed(TestSums.sparse(3, D, new int[] {2, 0}, 4, 1), 1, 2));
    open = saved(open);
    assertThat(open.count()).isEqualTo(5);
    Round round = new Round();
    open.close(round, 99);
    assertThat(open.count()).isZero();
    assertThat(round.reports).isEqualTo(5);
    assertThat(round.largestWeight).isEqualTo(1);
    assertThat(round.size()).isEqualTo(2);

    Round.Part late = round.part(0);
    assertThat(late.publication).isEqualTo(3);
    assertThat(late.isSparse()).isTrue();
    assertThat(late.coordinates).containsExactly(0, 2);
    assertThat(late.sum[0]).isEqualTo(0.5);
    assertThat(late.sum[1]).isEqualTo(5);
    assertThat(late.touching).containsExactly(0.5, 1);
    assertThat(late.touchingSquared).containsExactly(0.25, 0.5);
    assertThat(late.weight).isEqualTo(1);
    assertThat(late.squaredWeight).isEqualTo(0.5);
    assertThat(late.variance).isEqualTo(1);
    assertThat(late.denseWeight).isZero();
    assertThat(late.gradientBound).isEqualTo(2);

    Round.Part newest = round.part(1);
    assertThat(newest.isSparse()).isFalse();
    assertThat(newest.sum).containsExactly(1.25, 7, 3, 6.5);
    assertThat(newest.weight).isEqualTo(1.5);
    assertThat(newest.squaredWeight).isEqualTo(1.125);
    assertThat(newest.denseWeight).isEqualTo(1.25);
    assertThat(newest.denseSquaredWeight).isEqualTo(1.0625);
    assertThat(newest.touching).containsExactly(0, 0.25, 0, 0.25);
    assertThat(newest.variance).isEqualTo(1);
    assertThat(round.effectiveReports()).isCloseTo(6.25 / 1.625, within(1e-15));
  }

  /** Working vectors are reused, and cleared. */
  @Test
  void nothingOfARoundIsInTheNextOne() {
    OpenRound open = new OpenRound(D, 2);
    Round round = new Round();
    for (int t = 0; t < 3; t++) {
      open.add(TestSums.dense(t, 1, 0, 0, 0));
      open.add(TestSums.sparse(t, D, new int[] {1}, 5));
      open.close(round, 2);
      assertThat(round.part(0).sum).containsExactly(1, 5, 0, 0);
      open.add(TestSums.sparse(t, D, new int[] {2}, 7));
      open.close(round, 2);
      assertThat(round.size()).isEqualTo(1);
      assertThat(round.part(0).coordinates).containsExactly(2);
      assertThat(round.part(0).sum[0]).isEqualTo(7);
      assertThat(round.reports).isOne();
    }
  }

  @Test
  void aBundleWithoutCoordinatesCounts() {
    OpenRound open = new OpenRound(D, 2);
    open.add(TestSums.sparse(0, D, new int[] {}));
    open = saved(open);
    Round round = new Round();
    open.close(round, 2);
    assertThat(round.part(0).isSparse()).isTrue();
    assertThat(round.part(0).count).isZero();
    assertThat(round.part(0).weight).isOne();
  }

  @Test
  void boundsThatMoveAreThoseOfThePublications() {
    OpenRound open = new OpenRound(D, 0);
    for (long named = 0; named < 2; named++) {
      RoundSum sum = TestSums.dense(named, 1, 0, 0, 0);
      sum.gradientBound = 0.5 + named;
      open.add(sum);
    }
    Round round = new Round();
    saved(open).close(round, 9);
    assertThat(round.part(0).gradientBound).isEqualTo(0.5);
    assertThat(round.part(1).gradientBound).isEqualTo(1.5);
    assertThat(round.gradientBound()).isEqualTo(1);
  }

  /** Reports of a state of release 0.2.0: no publication, the mean weight, the present bound. */
  @Test
  void formerReportsHaveTheMeanWeight() {
    OpenRound open = new OpenRound(D, 2);
    open.addFormer(2, new double[] {2, 0, 0, 0});
    open.add(weighed(TestSums.dense(5, 1, 1, 1, 1), 1, 0));
    open.add(weighed(TestSums.dense(5, 1, 1, 1, 1), 3, 0));
    open.addFormer(1, new double[] {0, 4, 0, 0});
    Round round = new Round();
    saved(open).close(round, 9);
    assertThat(round.reports).isEqualTo(5);
    Round.Part former = round.part(0);
    assertThat(former.publication).isNegative();
    assertThat(former.weight).isEqualTo(3 * 0.3125);
    assertThat(former.sum).containsExactly(2 * 0.3125, 4 * 0.3125, 0, 0);
    assertThat(former.gradientBound).isEqualTo(9);
  }

  @Test
  void valuesOffAGridAreRefused() {
    RoundSum dense = TestSums.dense(0, 1, 0, 0, 0);
    dense.form = VectorForm.DENSE;
    assertThatThrownBy(() -> new OpenRound(D, 2).add(dense))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A vector of form DENSE in a round");
  }
}
