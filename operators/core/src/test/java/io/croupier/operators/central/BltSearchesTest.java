package io.croupier.operators.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.accounting.tree.ParticipationLimits;
import org.junit.jupiter.api.Test;

class BltSearchesTest {
  private final BltSearches searches = new BltSearches();

  @Test
  void findsTheOptimumOnce() {
    BltNoise found = searches.optimal(3, 1024);
    BltNoise searched = BltNoise.optimal(3, 1024, ParticipationLimits.ONCE);
    assertThat(found.horizon()).isEqualTo(1024);
    assertThat(found.zeta(1024, ParticipationLimits.ONCE))
        .isEqualTo(searched.zeta(1024, ParticipationLimits.ONCE));
    assertThat(found.variance(1024)).isEqualTo(searched.variance(1024));

    assertThat(searches.optimal(3, 1024)).isSameAs(found);
    assertThat(searches.optimal(3, 1025).horizon()).isEqualTo(1025);
    assertThat(searches.optimal(2, 1024).parameters().buffers()).isEqualTo(2);
    assertThat(searches.optimal(3, 1024)).isSameAs(found);
  }

  @Test
  void keepsTheLastResults() {
    BltNoise first = searches.optimal(1, 1);
    BltNoise second = searches.optimal(1, 2);
    for (int horizon = 3; horizon <= BltSearches.MOST; horizon++) {
      searches.optimal(1, horizon);
    }
    assertThat(searches.optimal(1, 1)).isSameAs(first);
    searches.optimal(1, BltSearches.MOST + 1);
    assertThat(searches.optimal(1, 1)).isSameAs(first);
    assertThat(searches.optimal(1, 2)).isNotSameAs(second);
  }

  @Test
  void refusesArgumentsOutOfRange() {
    assertThatIllegalArgumentException().isThrownBy(() -> searches.optimal(6, 10));
    assertThatIllegalArgumentException().isThrownBy(() -> searches.optimal(1, 0));
  }
}
