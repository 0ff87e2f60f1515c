package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GrowthRateTest {

  private final GrowthRate rate = new GrowthRate();

  @Test
  void nothingIsKnownAtFirst() {
    assertThat(at(1, 500)).isZero();
  }

  @Test
  void countsGrowthPerSecond() {
    at(1, 0);

    assertThat(at(3, 100)).isEqualTo(50);
  }

  @Test
  void forgetsWhatIsLongAgo() {
    for (int second = 0; second <= 10; second++) {
      at(second, 1000L * second);
    }
    for (int second = 11; second < 20; second++) {
      at(second, 10_000);
    }

    assertThat(at(20, 10_000)).isZero();
  }

  private double at(long seconds, long count) {
    return rate.at(TimeUnit.SECONDS.toNanos(seconds), count);
  }
}
