package io.croupier.operators.ledger;

import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Spend;

/**
 * One user's charges while one report is judged: those on its model, unless that is unknown, and
 * those on all models. The limits of both must leave what the report costs, and both are charged.
 */
final class Charges {
  private static final Spend NOTHING = new Totals().toProto().build();

  private final UserAccount account;
  private final long appendedAtMs;
  private final Spending onAll;

  /**
   * Creates the charges before a report.
   *
   * @param source of the report
   */
  Charges(Budget perUser, UserAccount account, Source source) {
    this.account = account;
    appendedAtMs = source.appendedAtMs();
    onAll = new Spending(perUser, account.userTotals(), account.userDays(), appendedAtMs);
  }

  /**
   * Judges a claim by the limits on its model, then by those on all models; charges it if that is
   * due, and completes its event.
   *
   * @param perModel null if the model is unknown
   */
  void settle(AccountClaim claim, Budget perModel, AccountingEvent.Builder event) {
    String modelId = event.getModelId();
    Spending onModel =
        perModel == null
            ? null
            : new Spending(
                perModel, account.modelTotals(modelId), account.modelDays(modelId), appendedAtMs);
    Totals cost = claim.cost().totals();
    Judgement judgement =
        claim.judgement().then(() -> onModel.judge(cost)).then(() -> onAll.judge(cost));
    event.setOutcome(judgement.outcome()).setReason(judgement.reason());
    if (judgement.isAdmitted()) {
      claim.kept().accept(onModel.all(), event);
    }
    boolean charged = AccountingEvents.isCharged(event);
    if (charged) {
      if (onModel != null) {
        onModel.charge(cost);
        account.storeModelTotals(modelId, onModel.all());
        if (onModel.hasNewDays()) {
          account.storeModelDays(modelId, onModel.days());
        }
      }
      onAll.charge(cost);
      account.storeUserTotals(onAll.all());
      if (onAll.hasNewDays()) {
        account.storeUserDays(onAll.days());
      }
    }
    if (onModel != null) {
      onModel.record(event::setModelTotals, event::setModelWindow, event::setLeftModel);
    }
    onAll.record(event::setUserTotals, event::setUserWindow, event::setLeftUser);
    if (event.hasModelWindow() || event.hasUserWindow()) {
      event.setAppendedAtMs(appendedAtMs);
    }
    event.setSpent(charged ? claim.cost().spend() : NOTHING);
    if (claim.cost().leastScale() > 0) {
      event.getCoordinateLaplaceBuilder().setLeastScale(claim.cost().leastScale());
    }
  }

  /** Erases the account but for its totals over all models, and records these. */
  void erase(AccountingEvent.Builder event) {
    account.erase(onAll.daysOnOne());
    onAll.record(event::setUserTotals, event::setUserWindow, event::setLeftUser);
    event.setSpent(NOTHING).setAppendedAtMs(appendedAtMs);
  }
}
