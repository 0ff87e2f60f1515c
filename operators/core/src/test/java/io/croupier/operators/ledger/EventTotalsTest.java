package io.croupier.operators.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.Spend;
import org.junit.jupiter.api.Test;

class EventTotalsTest {

  @Test
  void anInfiniteRecordedTotalIsSaturated() {
    double infinite = Double.POSITIVE_INFINITY;
    Totals totals = new Totals();

    EventTotals.raise(
        totals,
        Spend.newBuilder()
            .setEpsilon(infinite)
            .setMu(infinite)
            .setMuOfAll(infinite)
            .setRho(infinite)
            .build());

    assertThat(totals.epsilonNanos).isEqualTo(DecimalUnits.SATURATED);
    assertThat(totals.muSquaredPicos).isEqualTo(DecimalUnits.SATURATED);
    assertThat(totals.pureMuSquaredPicos).isEqualTo(DecimalUnits.SATURATED);
    assertThat(totals.rhoPicos).isEqualTo(DecimalUnits.SATURATED);
  }

  @Test
  void aTotalAboveTheRecordedOneStays() {
    Totals totals = new Totals();
    totals.reports = 3;
    totals.epsilonNanos = 3_000_000_000L;
    totals.rhoPicos = 2_000_000_000_000L;

    EventTotals.raise(
        totals, Spend.newBuilder().setReports(4).setEpsilon(1).setMu(0.5).setRho(1).build());

    assertThat(totals.reports).isEqualTo(4);
    assertThat(totals.epsilonNanos).isEqualTo(3_000_000_000L);
    assertThat(totals.muSquaredPicos).isEqualTo(250_000_000_000L);
    assertThat(totals.rhoPicos).isEqualTo(2_000_000_000_000L);
  }
}
