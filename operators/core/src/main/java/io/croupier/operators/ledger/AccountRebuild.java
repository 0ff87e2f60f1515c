package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Window;
import java.util.Optional;

/**
 * Recomputes accounts from the events that a ledger emitted: the same totals, to the last unit.
 * Where events are missing, the totals in later events include them: the larger of the recorded
 * totals and the sum of the events counts. Recorded totals are rounded up, so this may exceed the
 * ledger's by a unit in the last place of a double, and of mu by 1e-12 in its square. Only the
 * highest sequence number of a device is restored, so all numbers up to it count as used. The
 * newest event of each key suffices, if all are of version 2.
 */
public final class AccountRebuild {
  private AccountRebuild() {}

  /**
   * Applies an event to the account of its user, to which all events before it were applied, in the
   * order in which they were emitted.
   *
   * @return whether the cost and the totals in the event equal those computed from it and the
   *     events before it
   * @throws IllegalArgumentException if the event has no declaration, or an impossible one, or
   *     contains impossible totals
   */
  public static boolean apply(AccountingEvent event, UserAccount account) {
    Outcome outcome = event.getOutcome();
    if (outcome == Outcome.ERASED) {
      return erase(event, account);
    }
    closeWindow(event, account);
    boolean charged = AccountingEvents.isCharged(event);
    Totals cost = charged ? charged(event) : new Totals();
    boolean agrees = agrees(cost, event.getSpent());
    Totals user = account.userTotals();
    DailyTotals days = account.userDays();
    if (charged) {
      days = charge(days, event, event.getUserWindow(), user, cost);
      charge(user, cost, event.getUserTotals());
    }
    boolean areEventsMissing = user.reports < event.getUserTotals().getReports();
    agrees &= settle(user, event.getUserTotals());
    if (event.hasUserWindow()) {
      DailyTotals settled = settle(days, event, event.getUserWindow(), user, areEventsMissing);
      agrees &= settled == days;
      days = settled;
    }
    if (days != account.userDays()) {
      account.storeUserDays(days);
    }
    account.storeUserTotals(user);
    if (event.hasModelTotals()) {
      Totals model = account.modelTotals(event.getModelId());
      DailyTotals daysOfModel = account.modelDays(event.getModelId());
      if (charged) {
        daysOfModel = charge(daysOfModel, event, event.getModelWindow(), model, cost);
        charge(model, cost, event.getModelTotals());
        if (event.hasCentral()) {
          agrees &= takePart(event, account, model);
        }
      }
      areEventsMissing = model.reports < event.getModelTotals().getReports();
      agrees &= settle(model, event.getModelTotals());
      if (event.hasModelWindow()) {
        DailyTotals settled =
            settle(daysOfModel, event, event.getModelWindow(), model, areEventsMissing);
        agrees &= settled == daysOfModel;
        daysOfModel = settled;
      }
      if (daysOfModel != account.modelDays(event.getModelId())) {
        account.storeModelDays(event.getModelId(), daysOfModel);
      }
      account.storeModelTotals(event.getModelId(), model);
      TokenGrants.restore(event, account);
    }
    return agrees;
  }

  /**
   * Closes the window of a device at its highest number, which an event of version 1 that refuses a
   * number doesn't contain.
   */
  private static void closeWindow(AccountingEvent event, UserAccount account) {
    boolean isRefused = event.getOutcome() == Outcome.REFUSED_SEQUENCE;
    if (isRefused && !event.hasHighestSequence()) {
      return;
    }
    long highest = event.hasHighestSequence() ? event.getHighestSequence() : event.getSequence();
    DeviceWindow window = account.window(event.getDeviceId());
    boolean isUsed = !isRefused && event.getOutcome() != Outcome.DUPLICATE;
    if (isUsed || window.isNew() || highest > window.highest) {
      window.close(highest);
      account.storeWindow(window);
    }
  }

  /**
   * Erases an account; the earlier events may be missing, since an operator may have deleted them.
   */
  private static boolean erase(AccountingEvent event, UserAccount account) {
    Totals user = account.userTotals();
    boolean known = user.reports > 0;
    boolean agrees = settle(user, event.getUserTotals());
    DailyTotals days = DailyTotals.NONE;
    if (event.hasUserWindow()) {
      Window recorded = event.getUserWindow();
      Totals window =
          known
              ? account.userDays().window(period(recorded), day(event), user, order(recorded))
              : new Totals();
      agrees &= settle(window, recorded.getTotals());
      days = account.userDays().onOneDay(period(recorded), day(event), window);
    }
    account.storeUserTotals(user);
    account.erase(days);
    return agrees || !known;
  }

  /**
   * Returns what a report was charged. Releases up to 0.2.0 charged every pure report as randomised
   * response of its epsilon: that charge stays.
   */
  private static Totals charged(AccountingEvent event) {
    Cost cost = AccountingEvents.cost(event);
    Totals totals = Totals.of(cost);
    if (cost.loss().isResponse() || agrees(totals, event.getSpent())) {
      return totals;
    }
    Totals former = Totals.of(Cost.ofEpsilon(cost.epsilon()));
    return agrees(former, event.getSpent()) ? former : totals;
  }

  /**
   * Applies a participation; returns whether the charge that its event records, if any, is possible
   * and equals the computed one.
   */
  private static boolean takePart(AccountingEvent event, UserAccount account, Totals model) {
    long round = event.getModelTotals().getLastRound();
    boolean later = round >= 0 && (model.participations == 0 || round > model.lastRound);
    boolean agrees = !event.hasCentralSpend();
    if (later && event.hasCentralSpend()) {
      CentralSpend recorded = event.getCentralSpend();
      Optional<Participation> participation =
          CentralCharge.fromEvent(recorded, account, event.getModelId(), model, round);
      participation.ifPresent(p -> p.store(account, event.getModelId()));
      agrees = participation.filter(p -> agrees(p.toProto(), recorded)).isPresent();
      if (!agrees && participation.isPresent() && recorded.hasTree()) {
        account.storeRunningZeta(event.getModelId(), TreeCharge.recorded(recorded, round));
      }
    }
    model.participate(round);
    return agrees;
  }

  private static boolean agrees(CentralSpend computed, CentralSpend recorded) {
    return computed.getZeta() == recorded.getZeta()
        && (!recorded.hasTree() || recorded.getTree().equals(computed.getTree()));
  }

  private static void charge(Totals totals, Totals cost, Spend recorded) {
    if (recorded.hasRenyiOrder() && recorded.getRenyiOrder() != totals.renyiOrder) {
      totals.keepRenyi(recorded.getRenyiOrder());
    }
    totals.add(cost);
  }

  /**
   * Charges the days of a window.
   *
   * @param recorded the window in the event; empty if the limits had no period
   * @param all totals of all earlier charges
   */
  private static DailyTotals charge(
      DailyTotals days, AccountingEvent event, Window recorded, Totals all, Totals cost) {
    return days.charged(period(recorded), day(event), all, cost, order(recorded));
  }

  /**
   * Returns the days if they add up to the recorded window; otherwise days with all that the window
   * may contain, on the newest one.
   *
   * @param areEventsMissing whether there were charges since the event before: then even days that
   *     add up may be wrong, since an earlier one may have too much and a later one too little
   */
  private static DailyTotals settle(
      DailyTotals days,
      AccountingEvent event,
      Window recorded,
      Totals all,
      boolean areEventsMissing) {
    Totals window = days.window(period(recorded), day(event), all, order(recorded));
    boolean agrees = settle(window, recorded.getTotals());
    return agrees && !areEventsMissing ? days : days.onOneDay(period(recorded), day(event), window);
  }

  private static int period(Window recorded) {
    int period = recorded.getDays();
    boolean missing = period == 0 && recorded.hasTotals();
    if (missing || period < 0 || period > ModelSpecs.MAX_PERIOD_DAYS) {
      throw new IllegalArgumentException(
          "the window's days are %d; they must be from 1 to %d"
              .formatted(period, ModelSpecs.MAX_PERIOD_DAYS));
    }
    return period;
  }

  private static long day(AccountingEvent event) {
    return DailyTotals.day(event.getAppendedAtMs());
  }

  private static double order(Window recorded) {
    return recorded.getTotals().getRenyiOrder();
  }

  /** Raises totals to the recorded ones; returns whether they were equal. */
  private static boolean settle(Totals totals, Spend recorded) {
    boolean agrees = agrees(totals, recorded);
    if (!agrees) {
      EventTotals.raise(totals, recorded);
    }
    return agrees;
  }

  /**
   * Whether every recorded field is as computed; epsilon at delta is left out, since it depends on
   * the limits.
   */
  private static boolean agrees(Totals computed, Spend recorded) {
    Spend expected = computed.toProto().build();
    return expected.toBuilder().mergeFrom(recorded).clearEpsilonAtDelta().build().equals(expected);
  }
}
