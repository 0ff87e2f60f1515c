package io.croupier.operators.accounting;

import com.google.protobuf.Message;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Spend;
import java.util.Optional;

/**
 * Computes accounts again from the events that a ledger emitted: the same totals, to the last unit.
 * Where events are missing, later ones tell of totals that include them: what counts is the larger
 * of what was told and of what the events add up to. Of a device's numbers nothing is known but the
 * highest: all up to it are used up.
 */
public final class AccountRebuild {
  private AccountRebuild() {}

  /**
   * Applies an event to the account of its user, to which all events before it were applied, in the
   * order in which they were emitted.
   *
   * @return whether the event says of its cost and of the totals what those before it add up to
   * @throws IllegalArgumentException if the event has no declaration, or an impossible one, or
   *     tells of impossible totals
   */
  public static boolean apply(AccountingEvent event, UserAccount account) {
    Outcome outcome = event.getOutcome();
    if (outcome != Outcome.DUPLICATE && outcome != Outcome.REFUSED_SEQUENCE) {
      ReplayWindow window = account.window(event.getDeviceId());
      window.close(event.getSequence());
      account.storeWindow(event.getDeviceId(), window);
    }
    boolean charged = Ledger.isCharged(outcome, event.hasCentral());
    Totals cost = charged ? Costs.of(event) : new Totals();
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

  /** Whether a participation is possible, and of the zeta that its event tells, if it does. */
  private static boolean takePart(AccountingEvent event, UserAccount account, Totals model) {
    long round = event.getModelTotals().getLastRound();
    boolean later = round >= 0 && (model.participations == 0 || round > model.lastRound);
    boolean agrees = !event.hasCentralSpend();
    if (later && event.hasCentralSpend()) {
      Optional<Participation> participation =
          CentralCharge.told(event.getCentralSpend(), account, event.getModelId(), model, round);
      participation.ifPresent(p -> p.store(account, event.getModelId()));
      agrees =
          participation
              .filter(p -> p.toProto().getZeta() == event.getCentralSpend().getZeta())
              .isPresent();
    }
    model.participate(round);
    return agrees;
  }

  private static void charge(Totals totals, Totals cost, Spend told) {
    if (told.hasRenyiOrder() && told.getRenyiOrder() != totals.renyiOrder) {
      totals.keepRenyi(told.getRenyiOrder());
    }
    totals.add(cost);
  }

  /** Raises totals to what was told of them; returns whether that was what they were. */
  private static boolean settle(Totals totals, Spend told) {
    boolean agrees = agrees(totals, told);
    if (!agrees) {
      EventTotals.raise(totals, told);
    }
    return agrees;
  }

  /** Whether every field that was told is as computed; epsilon at delta takes the limit to know. */
  private static boolean agrees(Totals computed, Spend told) {
    Message expected = computed.toProto().build();
    return computed.toProto().mergeFrom(told).clearEpsilonAtDelta().build().equals(expected);
  }
}
