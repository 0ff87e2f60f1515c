package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No two reports of the longest run to the model that adds up are the same. */
class LoadTest {
  private static final int POWERS = 40;

  @ParameterizedTest
  @ValueSource(ints = {1, 60, 1000})
  void haveAPowerForEachReport(int perSecond) {
    long reports = perSecond * TimeUnit.MINUTES.toSeconds(Load.LONGEST_MINUTES) / 3;
    assertThat(Load.dimension(perSecond) * (long) POWERS).isGreaterThanOrEqualTo(reports);
    assertThat(Load.specs(perSecond)).contains("dimension: " + Load.dimension(perSecond) + ",");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1001})
  void refuseARateThatIsNone(int perSecond) {
    assertThatThrownBy(() -> Load.dimension(perSecond))
        .hasMessage("rate is %d reports a second; give 1 to 1000", perSecond);
  }
}
