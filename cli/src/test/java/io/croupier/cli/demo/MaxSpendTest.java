package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.NoiseMechanism;
import io.croupier.schemas.Spend;
import org.junit.jupiter.api.Test;

class MaxSpendTest {
  private static final DemoParameters PURE =
      new DemoParameters(NoiseMechanism.L2_LAPLACE, 8, 0, 0.25, 1, 28_155, 1);
  private static final DemoParameters GAUSSIAN =
      new DemoParameters(NoiseMechanism.GAUSSIAN, 8, 0, 0.25, 1, 28_155, 1);

  @Test
  void gaussianNoiseHasItsDelta() {
    assertThat(new MaxSpend(0, 1, 0).inWords("undisclosed", GAUSSIAN))
        .isEqualTo("4.377 at delta 1e-5");
    assertThat(new MaxSpend(0, 1, 3).inWords("undisclosed", GAUSSIAN))
        .isEqualTo("4.377 at delta 1e-5 or undisclosed");
    assertThat(new MaxSpend(0, 0, 3).inWords("undisclosed", GAUSSIAN)).isEqualTo("undisclosed");
  }

  @Test
  void undisclosedReportsHaveNoEpsilon() {
    assertThat(new MaxSpend(8, 0, 0).inWords("undisclosed", PURE)).isEqualTo("8");
    assertThat(new MaxSpend(8, 0, 1).inWords("undisclosed", PURE)).isEqualTo("8 or undisclosed");
    assertThat(new MaxSpend(0, 0, 7).inWords("undisclosed", PURE)).isEqualTo("undisclosed");
    assertThat(MaxSpend.NOTHING.inWords("undisclosed", PURE)).isEqualTo("0");
  }

  @Test
  void theMostOfEachKindMayBeOfDifferentPeople() {
    Spend declares = Spend.newBuilder().setReports(2).setEpsilon(16).build();
    Spend saysNothing = Spend.newBuilder().setReports(3).setUndisclosed(3).build();

    assertThat(MaxSpend.of(declares).max(MaxSpend.of(saysNothing)))
        .isEqualTo(new MaxSpend(16, 0, 3));
  }
}
