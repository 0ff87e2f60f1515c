package io.croupier.cli.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.RandomisedResponse;
import io.croupier.schemas.Spend;
import org.junit.jupiter.api.Test;

/** What bounds depend on after an erasure. */
class RecomputedAccountsTest {
  private static Spend spend(int reports) {
    Totals totals = new Totals();
    for (int i = 0; i < reports; i++) {
      totals.add(Totals.of(Cost.ofEpsilon(1)));
    }
    return totals.toProto().build();
  }

  private static AccountingEvent erasure(int reports) {
    return AccountingEvent.newBuilder()
        .setUserId("u")
        .setOutcome(Outcome.ERASED)
        .setUserTotals(spend(reports))
        .setSpent(spend(0))
        .build();
  }

  /** A report of epsilon 1, the last one of as many on all models and on this one. */
  private static AccountingEvent report(String model, int onAll, int onModel) {
    return AccountingEvent.newBuilder()
        .setUserId("u")
        .setModelId(model)
        .setOutcome(Outcome.ADMITTED)
        .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(1))
        .setUserTotals(spend(onAll))
        .setModelTotals(spend(onModel))
        .setSpent(spend(1))
        .build();
  }

  private static double pureEpsilon(SpendTotals spent) {
    return spent.key().pure().entrySet().stream()
        .mapToDouble(entry -> entry.getKey().epsilon() * entry.getValue())
        .sum();
  }

  private static void assertPure(RecomputedAccounts accounts, double all, String model, double on) {
    RecomputedAccount account = accounts.all().get("u");
    assertThat(pureEpsilon(account.all())).isCloseTo(all, within(1e-8));
    assertThat(account.models()).containsOnlyKeys(model);
    assertThat(pureEpsilon(account.models().get(model))).isCloseTo(on, within(1e-8));
  }

  @Test
  void anErasedModelBeginsWithAllThatWasSpent() {
    RecomputedAccounts accounts = new RecomputedAccounts();
    accounts.addEvent(report("a", 1, 1), "1");
    accounts.addEvent(report("b", 2, 1), "2");
    accounts.addEvent(erasure(2), "3");
    accounts.addEvent(report("a", 3, 3), "4");

    assertThat(accounts.mismatches()).isEmpty();
    assertPure(accounts, 3, "a", 3);
  }

  /** Compaction may keep an event of a token, and delete that of the erasure. */
  @Test
  void anAccountWhoseTotalsAreForgottenHasNoTokens() {
    RecomputedAccounts accounts = new RecomputedAccounts();
    accounts.addEvent(report("a", 1, 1).toBuilder().setOutcome(Outcome.GRANTED).build(), "1");
    assertThat(accounts.anonymous().isEmpty()).isFalse();
    accounts.forget("u");

    assertThat(accounts.all()).isEmpty();
    assertThat(accounts.anonymous().isEmpty()).isTrue();
  }

  /** An operator may have deleted the earlier events. */
  @Test
  void whatOnlyTheErasureRecordsCounts() {
    RecomputedAccounts accounts = new RecomputedAccounts();
    accounts.addEvent(erasure(3), "1");
    accounts.addEvent(report("a", 4, 4), "2");

    assertPure(accounts, 4, "a", 4);
  }
}
