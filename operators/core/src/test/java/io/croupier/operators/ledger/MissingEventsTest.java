package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEQUENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Accounts that are recomputed from a part of their events. */
class MissingEventsTest {
  private final RandomHistory history = new RandomHistory();

  /**
   * A compacted topic has the newest event of each key. The noise of a model is fixed. Totals of
   * events are rounded up, so the account may have a little more, never less.
   */
  @Tag("ci")
  @Test
  void theNewestEventOfEachKeySuffices() throws Exception {
    AccountingEventWriter writer = new AccountingEventWriter();
    int dropped = 0;
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      Map<ByteBuffer, AccountingEvent> newest = new LinkedHashMap<>();
      for (AccountingEvent event : history.judge(account, 300, Integer.MAX_VALUE)) {
        byte[] key = AccountingKey.of(event);
        // At the end of the topic, where the newest record of a key is.
        dropped += newest.remove(ByteBuffer.wrap(key)) == null ? 0 : 1;
        newest.put(ByteBuffer.wrap(key), AccountingEvents.read(key, writer.write(event)));
      }

      MapAccount rebuilt = new MapAccount();
      newest.values().forEach(event -> AccountRebuild.apply(event, rebuilt));

      String place = "seed %s, run %s".formatted(RandomHistory.SEED, run);
      assertNoLess(place, rebuilt.userTotals(), account.userTotals());
      assertThat(rebuilt.models).as(place).hasSameSizeAs(account.models);
      account.models.forEach(
          (model, totals) -> assertNoLess(place + ", " + model, rebuilt.models.get(model), totals));
      assertThat(rebuilt.zetas).as(place).usingRecursiveComparison().isEqualTo(account.zetas);
      assertThat(rebuilt.wholeCharges)
          .as(place)
          .usingRecursiveComparison()
          .isEqualTo(account.wholeCharges);
      assertSameHighest(place, account, rebuilt);
    }
    assertThat(dropped).as("events that compaction removes").isGreaterThan(9_000);
    assertThat(history.outcomes).contains(DUPLICATE, REFUSED_SEQUENCE);
  }

  private static void assertNoLess(String place, Totals rebuilt, Totals ledgers) {
    assertHolds(place, rebuilt, ledgers, 1e-12, 4);
    assertSlightlyMore(place, rebuilt.variationAttos, ledgers.variationAttos, 1e-12, 4);
  }

  /** The counts, and all sums but for their rounding to a double. */
  private static void assertHolds(
      String place, Totals rebuilt, Totals ledgers, double relative, long absolute) {
    assertThat(rebuilt.reports).as(place).isEqualTo(ledgers.reports);
    assertThat(rebuilt.undisclosed).as(place).isEqualTo(ledgers.undisclosed);
    assertThat(rebuilt.unbounded).as(place).isEqualTo(ledgers.unbounded);
    assertThat(rebuilt.participations).as(place).isEqualTo(ledgers.participations);
    assertThat(rebuilt.lastRound).as(place).isEqualTo(ledgers.lastRound);
    assertSlightlyMore(place, rebuilt.epsilonNanos, ledgers.epsilonNanos, relative, absolute);
    assertSlightlyMore(place, rebuilt.rhoPicos, ledgers.rhoPicos, relative, absolute);
    assertSlightlyMore(place, rebuilt.muSquaredPicos, ledgers.muSquaredPicos, relative, absolute);
    assertSlightlyMore(place, rebuilt.allMuSquared(), ledgers.allMuSquared(), relative, absolute);
  }

  private static void assertSlightlyMore(
      String place, long rebuilt, long ledgers, double relative, long absolute) {
    assertThat(rebuilt)
        .as(place)
        .isGreaterThanOrEqualTo(ledgers)
        .isLessThanOrEqualTo(DecimalUnits.add(ledgers, absolute + (long) (relative * ledgers)));
  }

  private static void assertSameHighest(String place, MapAccount account, MapAccount rebuilt) {
    assertThat(rebuilt.windows).as(place).hasSameSizeAs(account.windows);
    for (DeviceWindow window : account.windows) {
      assertThat(rebuilt.window(window.deviceId).highest).as(place).isEqualTo(window.highest);
      assertThat(rebuilt.window(window.deviceId).isClosed()).as(place).isTrue();
    }
  }

  /** Every later event repeats the charge, so one of them suffices. */
  @Test
  void aWholeChargeIsRestoredWithoutItsFirstEvent() {
    AdmissionRules rules = BltChargeTest.blt(2, 2, 20, BudgetTest.participations(3, 2));
    MapAccount account = new MapAccount();
    history.judge(TestReports.central(0), rules, account);
    ReportDraft later = TestReports.central(1, 9);
    MapAccount rebuilt = new MapAccount();
    assertThat(AccountRebuild.apply(history.judge(later, rules, account), rebuilt)).isFalse();
    assertHoldsAtLeast(rebuilt.userTotals(), account.userTotals(), "one event");
    later = TestReports.central(2, 19);
    AccountingEvent third = history.judge(later, rules, rebuilt);
    assertAdmitted(third);
    assertThat(third.getCentralSpend().getZeta()).isZero();
  }

  @Test
  void aMissingEventIsFound() {
    MapAccount rebuilt = new MapAccount();
    List<AccountingEvent> events =
        history.judge(new MapAccount(), 20).stream()
            .dropWhile(event -> event.getSpent().getReports() == 0)
            .skip(1)
            .toList();
    boolean agrees = true;
    for (AccountingEvent event : events) {
      agrees &= AccountRebuild.apply(event, rebuilt);
    }
    assertThat(agrees).isFalse();
  }

  /** The reports of the seed's runs, with up to half the events and then every fourth missing. */
  @Test
  void missingEventsGiveNoUserBudgetBack() {
    for (int run = 0; run < 60; run++) {
      MapAccount account = new MapAccount();
      MapAccount rebuilt = new MapAccount();
      List<AccountingEvent> events = history.judge(account, 60);
      Set<String> reported = new HashSet<>();
      for (AccountingEvent event : events.subList(history.random.nextInt(1, 30), 60)) {
        if (history.random.nextInt(4) > 0 || event.equals(events.get(59))) {
          AccountRebuild.apply(event, rebuilt);
          if (event.hasModelTotals()) {
            reported.add(event.getModelId());
          }
        } else {
          reported.remove(event.getModelId());
        }
      }
      assertHoldsAtLeast(rebuilt.userTotals(), account.userTotals(), "run " + run);
      for (String model : reported) {
        assertHoldsAtLeast(
            rebuilt.modelTotals(model), account.modelTotals(model), "run " + run + ", " + model);
      }
    }
  }

  private static void assertHoldsAtLeast(Totals rebuilt, Totals lost, String what) {
    String place = "seed %s, %s".formatted(RandomHistory.SEED, what);
    assertHolds(place, rebuilt, lost, 1e-14, 9);
    if (lost.renyiOrder > 0) {
      assertThat(rebuilt.renyiOrder).as(place).isEqualTo(lost.renyiOrder);
      assertThat(rebuilt.renyiPicos).as(place).isGreaterThanOrEqualTo(lost.renyiPicos);
    }
  }
}
