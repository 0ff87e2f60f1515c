package io.croupier.operators.ledger;

import java.util.Arrays;

/**
 * What one user was charged on each of the last days, where a limit has a period. In keyed state.
 * Immutable, apart from what a reader of the state does.
 *
 * <p>A day is a day of UTC, by the time at which the broker appended a report. Only days with a
 * charge are kept, at most as many as the period has. If the time of a report is before the newest
 * day, the report counts on that day, so time that goes backwards forgets nothing.
 *
 * <p>How the charges from before the period are distributed over days is not known: they all count
 * on the day of the first charge under the period. The same holds if the period becomes longer.
 *
 * <p>Invariants: (1) days ascend; (2) all charges of the newest {@link #period} days are contained,
 * each on its day or a later one.
 */
public final class DailyTotals {
  /** What is kept where no limit has a period. */
  static final DailyTotals NONE = new DailyTotals();

  private static final long DAY_MS = 86_400_000;

  /** The days of the window; 0 if nothing is kept. */
  public int period;

  /** The days with a charge, counted from 1970-01-01. */
  public long[] days = {};

  /** The totals of each of {@link #days}. */
  public Totals[] totals = {};

  /** Creates an object without days; the serialiser needs it. */
  public DailyTotals() {}

  /** Returns the day of a time in milliseconds since 1970. */
  static long day(long ms) {
    return Math.floorDiv(ms, DAY_MS);
  }

  /**
   * Returns the totals of the window that ends at a day, or at the newest day if that is later.
   *
   * @param period the days of the window, at least 1
   * @param lifetime the totals of all charges
   * @param order of the Renyi divergences that the window keeps; 0 for none
   */
  Totals window(int period, long day, Totals lifetime, double order) {
    if (this.period < period) {
      return sum(lifetime, order);
    }
    Totals window = sum(new Totals(), order);
    for (int i = first(period, latest(day)); i < days.length; i++) {
      window.add(totals[i]);
    }
    return window;
  }

  /**
   * Returns these days with one more charge, without those that have left the window.
   *
   * @param period the days of the window; 0 if there is none, so that nothing is kept
   * @param lifetime the totals of all earlier charges
   * @param order of the Renyi divergences that the day keeps; 0 for none
   */
  DailyTotals charged(int period, long day, Totals lifetime, Totals cost, double order) {
    if (period == 0) {
      return this.period == 0 ? this : NONE;
    }
    if (this.period < period) {
      Totals all = sum(lifetime, order);
      all.add(cost);
      return onOneDay(period, day, all);
    }
    long newest = latest(day);
    int first = first(period, newest);
    boolean known = first < days.length && days[days.length - 1] == newest;
    int last = days.length - first - (known ? 1 : 0);
    DailyTotals charged = new DailyTotals();
    charged.period = period;
    charged.days = Arrays.copyOfRange(days, first, first + last + 1);
    charged.totals = Arrays.copyOfRange(totals, first, first + last + 1);
    charged.days[last] = newest;
    charged.totals[last] = sum(known ? charged.totals[last] : new Totals(), order);
    charged.totals[last].add(cost);
    return charged;
  }

  /** Returns days on which everything counts on one: the given day, or the newest if later. */
  DailyTotals onOneDay(int period, long day, Totals all) {
    DailyTotals one = new DailyTotals();
    one.period = period;
    one.days = new long[] {latest(day)};
    one.totals = new Totals[] {all};
    return one;
  }

  private long latest(long day) {
    return days.length == 0 ? day : Math.max(day, days[days.length - 1]);
  }

  /** Returns the index of the first day in the window that ends at {@code newest}. */
  private int first(int period, long newest) {
    int first = 0;
    while (first < days.length && days[first] <= newest - period) {
      first++;
    }
    return first;
  }

  private static Totals sum(Totals from, double order) {
    Totals sum = new Totals();
    if (order > 0) {
      sum.keepRenyi(order);
    }
    sum.add(from);
    return sum;
  }
}
