package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No two reports of the longest run to the summing model are equal. */
class LoadGeneratorTest {
  private static final int POWERS = 40;

  @ParameterizedTest
  @ValueSource(ints = {1, 60, 1000})
  void haveAPowerForEachReport(int perSecond) {
    long reports = perSecond * TimeUnit.MINUTES.toSeconds(LoadGenerator.LONGEST_MINUTES) / 3;
    assertThat(LoadGenerator.dimension(perSecond) * (long) POWERS).isGreaterThanOrEqualTo(reports);
    assertThat(LoadGenerator.specs(perSecond))
        .contains("dimension: " + LoadGenerator.dimension(perSecond) + ",");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1001})
  void refuseARateThatIsNone(int perSecond) {
    assertThatThrownBy(() -> LoadGenerator.dimension(perSecond))
        .hasMessage("rate is %d reports a second; give 1 to 1000", perSecond);
  }
}
