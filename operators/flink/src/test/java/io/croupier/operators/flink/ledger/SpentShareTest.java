package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Window;
import org.junit.jupiter.api.Test;

class SpentShareTest {
  private static final Spend SPENT =
      Spend.newBuilder()
          .setReports(3)
          .setEpsilon(0.75)
          .setEpsilonAtDelta(0.5)
          .setMuOfAll(0.6)
          .setParticipations(1)
          .build();

  private static double share(Left left) {
    return SpentShare.of(
        AccountingEvent.newBuilder().setModelTotals(SPENT).setLeftModel(left).build());
  }

  @Test
  void isTheSpendRelativeToSpendAndRest() {
    assertThat(share(Left.newBuilder().setEpsilon(0.25).build())).isEqualTo(0.75);
    assertThat(share(Left.newBuilder().setEpsilonAtDelta(1.5).build())).isEqualTo(0.25);
    assertThat(share(Left.newBuilder().setReports(7).build())).isCloseTo(0.3, within(1e-15));
    assertThat(share(Left.newBuilder().setParticipations(1).build())).isEqualTo(0.5);
    // 0.6^2 of 0.6^2 + 0.8^2.
    assertThat(share(Left.newBuilder().setMu(0.8).build())).isCloseTo(0.36, within(1e-15));
  }

  @Test
  void isTheLargestOfAll() {
    Left model = Left.newBuilder().setReports(97).setEpsilon(0.25).build();
    Left user = Left.newBuilder().setReports(0).build();
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder().setModelTotals(SPENT).setLeftModel(model);

    assertThat(SpentShare.of(event.build())).isEqualTo(0.75);
    assertThat(SpentShare.of(event.setUserTotals(SPENT).setLeftUser(user).build())).isEqualTo(1);
  }

  @Test
  void isThatOfTheWindowIfTheLimitsHaveAPeriod() {
    Left left = Left.newBuilder().setEpsilon(0.25).build();
    Spend life = Spend.newBuilder().setEpsilon(99).build();
    Window window = Window.newBuilder().setDays(30).setTotals(SPENT).build();

    assertThat(
            SpentShare.of(
                AccountingEvent.newBuilder()
                    .setModelTotals(life)
                    .setModelWindow(window)
                    .setLeftModel(left)
                    .build()))
        .isEqualTo(0.75);
    assertThat(
            SpentShare.of(
                AccountingEvent.newBuilder()
                    .setUserTotals(life)
                    .setUserWindow(window)
                    .setLeftUser(left)
                    .build()))
        .isEqualTo(0.75);
  }

  @Test
  void isNegativeWithoutALimit() {
    assertThat(share(Left.getDefaultInstance())).isNegative();
    assertThat(SpentShare.of(AccountingEvent.getDefaultInstance())).isNegative();
  }

  @Test
  void isNeverAboveOne() {
    Spend saturated = Spend.newBuilder().setEpsilon(Double.POSITIVE_INFINITY).build();
    Left left = Left.newBuilder().setEpsilon(0).build();

    assertThat(
            SpentShare.of(
                AccountingEvent.newBuilder().setUserTotals(saturated).setLeftUser(left).build()))
        .isEqualTo(1);
  }
}
