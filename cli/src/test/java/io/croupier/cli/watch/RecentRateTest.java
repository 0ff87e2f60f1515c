package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentRateTest {

  @Test
  void countsTheLastTenWholeSeconds() {
    RecentRate rate = new RecentRate();
    for (int second = 100; second < 130; second++) {
      for (int i = 0; i < 7; i++) {
        rate.add(second);
      }
    }

    assertThat(rate.at(130)).isEqualTo(7);
    assertThat(rate.at(135)).isEqualTo(3.5);
    assertThat(rate.at(140)).isZero();
    assertThat(rate.at(10_000)).isZero();
  }

  @Test
  void beginsAnewWhenTheClockIsSetBack() {
    RecentRate rate = new RecentRate();
    rate.add(5000);
    for (int second = 100; second < 200; second++) {
      rate.add(second);
      rate.add(second);
    }

    assertThat(rate.at(200)).isEqualTo(2);
    assertThat(rate.at(150)).isZero();
    assertThat(rate.at(151)).isZero();
  }

  @Test
  void dividesByTheTimeSinceTheFirstEvent() {
    RecentRate rate = new RecentRate();
    assertThat(rate.at(5)).isZero();
    rate.add(100);
    rate.add(100);

    assertThat(rate.at(100)).isZero();
    assertThat(rate.at(101)).isEqualTo(2);
    assertThat(rate.at(104)).isEqualTo(0.5);
  }
}
