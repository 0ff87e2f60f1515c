package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.TreeNoise.Estimator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SumNoiseTest {
  private static final ParticipationLimits THRICE = new ParticipationLimits(3, 3);

  @Test
  void independentNoiseAddsUpAndHidesEachParticipationByItself() {
    PrefixError.Errors errors = SumNoise.independent("independent").errors(16, THRICE);

    assertThat(errors.worst()).isEqualTo(Math.sqrt(3 * 16));
    assertThat(errors.rms()).isCloseTo(Math.sqrt(3 * 17 / 2.0), within(1e-12));
  }

  @Test
  void roomForParticipationsIsThatOfTheirSeparation() {
    assertThat(SumNoise.participations(8, THRICE)).isEqualTo(2);
    assertThat(SumNoise.participations(9, THRICE)).isEqualTo(3);
    assertThat(SumNoise.participations(99, THRICE)).isEqualTo(3);
  }

  /** Its square is the matrix of ones; the response to two participations, by hand. */
  @Test
  void theSquareRootIsOne() {
    SquareRoot root = new SquareRoot(3);

    assertThat(root.variance(3)).isEqualTo(1 + 1 / 4.0 + 9 / 64.0);
    assertThat(root.zeta(3, ParticipationLimits.ONCE)).isEqualTo(root.variance(3));
    assertThat(root.zeta(3, new ParticipationLimits(2, 1)))
        .isEqualTo(1 + 1 / 4.0 + (3 / 8.0 + 1) * (3 / 8.0 + 1));
  }

  /** Singular values of ((1, 0), (1, 1)): the golden ratio and its inverse. */
  @Test
  void theBoundIsTheMeanSingularValue() {
    assertThat(SquareRoot.bound(2)).isCloseTo(Math.sqrt(5) / 2, within(1e-12));
  }

  /** Three standard errors at 10,000 coordinates; seeded. */
  @ParameterizedTest
  @ValueSource(strings = {"independent", "tree", "restarted", "blt"})
  void drawnNoiseHasItsVariance(String kind) {
    SumNoise noise =
        switch (kind) {
          case "independent" -> SumNoise.independent(kind);
          case "tree" -> SumNoise.tree(kind, Estimator.HONAKER);
          case "restarted" -> SumNoise.restarted(kind, 5);
          default -> SumNoise.blt(2, 11, ParticipationLimits.ONCE);
        };
    SumNoise.Path path = noise.start(10_000, new SeededRandom(3));
    double[] values = new double[10_000];
    for (int step = 1; step <= 11; step++) {
      path.next(values);
      double squares = 0;
      for (double value : values) {
        squares += value * value;
      }
      double variance = noise.variance(step);
      assertThat(squares / 10_000).isCloseTo(variance, within(variance * 0.043));
    }
  }
}
