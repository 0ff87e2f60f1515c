package io.croupier.operators.ledger;

import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Window;
import java.util.function.Consumer;

/**
 * What one user has spent where one budget applies, while one report is judged: all charges, and
 * those that the limits count, which differ if the limits have a period.
 */
final class Spending {
  private final Budget budget;
  private final Totals all;
  private final long day;
  private final DailyTotals before;
  private DailyTotals days;
  private Totals counted;

  /**
   * Creates the spending before a report.
   *
   * @param all totals of all charges; a charge changes them
   * @param days the same on each day; not changed
   * @param appendedAtMs when the broker appended the report
   */
  Spending(Budget budget, Totals all, DailyTotals days, long appendedAtMs) {
    this.budget = budget;
    this.all = all;
    this.days = days;
    before = days;
    day = DailyTotals.day(appendedAtMs);
    count();
  }

  private void count() {
    counted =
        budget.period() == 0 ? all : days.window(budget.period(), day, all, budget.renyiOrder());
  }

  /** Returns the totals of all charges. */
  Totals all() {
    return all;
  }

  /** Judges the cost of the report. */
  Judgement judge(Totals cost) {
    return budget.judge(counted, cost);
  }

  /** Charges the report. */
  void charge(Totals cost) {
    days = days.charged(budget.period(), day, all, cost, budget.renyiOrder());
    budget.charge(all, cost);
    count();
  }

  /** Returns whether a charge has changed the days. */
  boolean hasNewDays() {
    return days != before;
  }

  /** Returns the charges on each day. */
  DailyTotals days() {
    return days;
  }

  /** Returns the charges of the newest window on the day of the report; none without a period. */
  DailyTotals daysOnOne() {
    return budget.period() == 0
        ? DailyTotals.NONE
        : days.onOneDay(budget.period(), day, counted.copyOfCharges());
  }

  /** Returns whether there are limits. */
  boolean isLimited() {
    return !budget.isEmpty();
  }

  /** Records all charges, the window if there is one, and what limits leave if there are any. */
  void record(Consumer<Spend> totals, Consumer<Window> window, Consumer<Left> left) {
    Spend recorded = budget.toProto(all).build();
    totals.accept(recorded);
    if (budget.period() > 0) {
      recorded = budget.toProto(counted).build();
      window.accept(Window.newBuilder().setDays(budget.period()).setTotals(recorded).build());
    }
    if (isLimited()) {
      left.accept(budget.left(counted, recorded));
    }
  }
}
