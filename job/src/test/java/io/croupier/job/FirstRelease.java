package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;

/**
 * Two outputs deliberately differ from release 0.1.0. Tests compare with the old release's outputs
 * after changing exactly these.
 *
 * <ol>
 *   <li>For least squares, release 0.1.0 assumed that two examples are up to sqrt(8) apart, but
 *       their distance is at most sqrt(4.5). So a participation now weighs 1.125 instead of 2, and
 *       the guarantee of {@value #LEAST_SQUARES} under replace-one improves accordingly.
 *   <li>Where it reported an epsilon at a delta, it treated discrete Gaussian noise as continuous.
 *       Now the distance between the two laws is included, so epsilon is larger: slightly for
 *       reports, and up to the bound by Renyi divergences for central models with negligible noise.
 * </ol>
 */
final class FirstRelease {
  static final String VERSION = "0.1.0";

  /** Natural logarithm of the delta of all limits that have one. */
  private static final double LOG_DELTA = Math.log(1e-6);

  private static final String LEAST_SQUARES = "squares";

  /**
   * The weight of a least squares participation before and now, and the factor by which rounding to
   * the grid raises it.
   */
  private static final double WEIGHT_BEFORE = 2;

  private static final double WEIGHT = 1.125;
  private static final double ROUNDING = 1 + 1e-5;

  private FirstRelease() {}

  /** Returns an event of that release as this one writes it. */
  static AccountingEvent today(AccountingEvent before, AccountingEvent actual) {
    return withDistances(withLessForLeastSquares(before, actual), actual);
  }

  /** Returns a guarantee of that release as this one states it. */
  static GuaranteeEvent today(GuaranteeEvent before, GuaranteeEvent actual) {
    return withDistances(withLessForLeastSquares(before, actual), actual);
  }

  /**
   * For totals with Gaussian noise, epsilon at delta is slightly larger, and the remainder smaller.
   */
  private static AccountingEvent withDistances(AccountingEvent before, AccountingEvent actual) {
    AccountingEvent.Builder today = before.toBuilder();
    if (before.getModelTotals().getMu() > 0 && before.getModelTotals().hasEpsilonAtDelta()) {
      double recorded = before.getModelTotals().getEpsilonAtDelta();
      double more = actual.getModelTotals().getEpsilonAtDelta();
      double byRho = ZeroConcentratedDp.epsilon(before.getModelTotals().getRho(), LOG_DELTA);
      assertThat(more).isBetween(recorded, Math.max(recorded + 1e-4, byRho + 1e-6));
      today.getModelTotalsBuilder().setEpsilonAtDelta(more);
    }
    if (before.getModelTotals().getMu() > 0 && before.getLeftModel().hasEpsilonAtDelta()) {
      double recorded = before.getLeftModel().getEpsilonAtDelta();
      double less = actual.getLeftModel().getEpsilonAtDelta();
      assertThat(less).isBetween(recorded - 1e-4, recorded);
      today.getLeftModelBuilder().setEpsilonAtDelta(less);
    }
    return today.build();
  }

  /**
   * Changes the weight of a participation, and the values that depend on it; the totals, which
   * saturate, stay.
   */
  private static AccountingEvent withLessForLeastSquares(
      AccountingEvent before, AccountingEvent actual) {
    if (!before.getModelId().equals(LEAST_SQUARES) || !before.hasCentralSpend()) {
      return before;
    }
    assertThat(before.getSpent().getMu()).as("saturated").isInfinite();
    double weight = actual.getCentralSpend().getWeight();
    assertThat(weight).isBetween(WEIGHT, WEIGHT * ROUNDING);
    double zeta = before.getCentralSpend().getZeta() / WEIGHT_BEFORE * weight;
    assertThat(actual.getCentralSpend().getZeta()).isBetween(zeta, Math.nextUp(zeta));
    AccountingEvent.Builder today = before.toBuilder();
    today.getCentralSpendBuilder().setWeight(weight).setZeta(actual.getCentralSpend().getZeta());
    return today.build();
  }

  /** Epsilon is larger, but at most the bound by Renyi divergences. */
  private static GuaranteeEvent withDistances(GuaranteeEvent before, GuaranteeEvent actual) {
    GuaranteeEvent.Builder today = before.toBuilder();
    assertThat(actual.getZeroOut().getEpsilon())
        .isBetween(before.getZeroOut().getEpsilon(), actual.getZeroOut().getEpsilonRenyi());
    assertThat(actual.getReplaceOne().getEpsilon())
        .isBetween(before.getReplaceOne().getEpsilon(), actual.getReplaceOne().getEpsilonRenyi());
    today.getZeroOutBuilder().setEpsilon(actual.getZeroOut().getEpsilon());
    today.getReplaceOneBuilder().setEpsilon(actual.getReplaceOne().getEpsilon());
    return today.build();
  }

  /**
   * The zero-out guarantee stays; under replace-one, zeta is smaller, and mu and epsilon change
   * accordingly.
   */
  private static GuaranteeEvent withLessForLeastSquares(
      GuaranteeEvent before, GuaranteeEvent actual) {
    if (!before.getModelId().equals(LEAST_SQUARES) || before.getRound() == 0) {
      return before;
    }
    Guarantee old = before.getReplaceOne();
    Guarantee today = actual.getReplaceOne();
    double zeta = old.getZeta() * WEIGHT / WEIGHT_BEFORE;
    assertThat(today.getZeta()).isBetween(zeta, zeta * ROUNDING);
    assertThat(today.getMu())
        .isCloseTo(
            Math.sqrt(today.getZeta()) / before.getNoiseMultiplier(), withinPercentage(1e-10));
    assertThat(today.getEpsilonRenyi()).isLessThanOrEqualTo(old.getEpsilonRenyi());
    return before.toBuilder().setReplaceOne(today).build();
  }
}
