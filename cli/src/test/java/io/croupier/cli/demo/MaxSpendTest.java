package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.Spend;
import org.junit.jupiter.api.Test;

class MaxSpendTest {

  @Test
  void undisclosedReportsHaveNoEpsilon() {
    assertThat(new MaxSpend(8, 0, 0).inWords("undisclosed")).isEqualTo("8");
    assertThat(new MaxSpend(8, 0, 1).inWords("undisclosed")).isEqualTo("8 or undisclosed");
    assertThat(new MaxSpend(0, 0, 7).inWords("undisclosed")).isEqualTo("undisclosed");
    assertThat(MaxSpend.NOTHING.inWords("undisclosed")).isEqualTo("0");
  }

  @Test
  void theMostOfEachKindMayBeOfDifferentPeople() {
    Spend declares = Spend.newBuilder().setReports(2).setEpsilon(16).build();
    Spend saysNothing = Spend.newBuilder().setReports(3).setUndisclosed(3).build();

    assertThat(MaxSpend.of(declares).max(MaxSpend.of(saysNothing)))
        .isEqualTo(new MaxSpend(16, 0, 3));
  }
}
