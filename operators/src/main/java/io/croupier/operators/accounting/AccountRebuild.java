package io.croupier.operators.accounting;

import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Spend;
import java.util.Optional;

/**
 * Recomputes accounts from the events that a ledger emitted: the same totals, to the last unit.
 * Where events are missing, the totals in later events include them: the larger of the recorded
 * totals and the sum of the events counts. Only the highest sequence number of a device is
 * restored, so all numbers up to it count as used.
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
    if (outcome != Outcome.DUPLICATE && outcome != Outcome.REFUSED_SEQUENCE) {
      DeviceWindow window = account.window(event.getDeviceId());
      window.close(event.getSequence());
      account.storeWindow(window);
    }
    boolean charged = Ledger.isCharged(outcome, event.hasCentral());
    Totals cost = charged ? charged(event) : new Totals();
    boolean agrees = agrees(cost, event.getSpent());
    Totals user = account.userTotals();
    if (charged) {
      charge(user, cost, event.getUserTotals());
    }
    agrees &= settle(user, event.getUserTotals());
    account.storeUserTotals(user);
    if (event.hasModelTotals()) {
      Totals model = account.modelTotals(event.getModelId());
      if (charged) {
        charge(model, cost, event.getModelTotals());
        if (event.hasCentral()) {
          agrees &= takePart(event, account, model);
        }
      }
      agrees &= settle(model, event.getModelTotals());
      account.storeModelTotals(event.getModelId(), model);
    }
    return agrees;
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
      Optional<Participation> participation =
          CentralCharge.fromEvent(
              event.getCentralSpend(), account, event.getModelId(), model, round);
      participation.ifPresent(p -> p.store(account, event.getModelId()));
      agrees =
          participation
              .filter(p -> p.toProto().getZeta() == event.getCentralSpend().getZeta())
              .isPresent();
    }
    model.participate(round);
    return agrees;
  }

  private static void charge(Totals totals, Totals cost, Spend recorded) {
    if (recorded.hasRenyiOrder() && recorded.getRenyiOrder() != totals.renyiOrder) {
      totals.keepRenyi(recorded.getRenyiOrder());
    }
    totals.add(cost);
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
    Message expected = computed.toProto().build();
    return computed.toProto().mergeFrom(recorded).clearEpsilonAtDelta().build().equals(expected);
  }
}
