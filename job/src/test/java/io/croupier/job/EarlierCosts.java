package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Spend;

/**
 * Compares events with those of a kept release. Releases up to 0.2.0 charged Laplace noise as
 * randomised response, and left out fields of today.
 */
final class EarlierCosts {
  private EarlierCosts() {}

  /** Checks that an event is that of the release, but for the words of its reason. */
  static void check(String release, AccountingEvent kept, AccountingEvent actual) {
    AccountingEvent expected =
        release.equals("0.2.0") ? actual.toBuilder().mergeFrom(today(kept, actual)).build() : kept;
    assertThat(actual).isEqualTo(expected.toBuilder().setReason(actual.getReason()).build());
  }

  /** Returns {@code kept} with the costs of {@code actual}, none of which may be larger. */
  private static AccountingEvent today(AccountingEvent kept, AccountingEvent actual) {
    AccountingEvent.Builder today = kept.toBuilder();
    if (actual.hasL2Laplace() || actual.hasCoordinateLaplace()) {
      today.setSpent(today(kept.getSpent(), actual.getSpent()));
    }
    if (kept.hasModelTotals()) {
      today.setModelTotals(today(kept.getModelTotals(), actual.getModelTotals()));
    }
    if (kept.hasUserTotals()) {
      today.setUserTotals(today(kept.getUserTotals(), actual.getUserTotals()));
    }
    return today.build();
  }

  private static Spend today(Spend kept, Spend actual) {
    assertThat(actual.getRho()).isLessThanOrEqualTo(kept.getRho());
    assertThat(actual.getMuOfAll()).isLessThanOrEqualTo(kept.getMuOfAll());
    return kept.toBuilder().setRho(actual.getRho()).setMuOfAll(actual.getMuOfAll()).build();
  }
}
