package io.croupier.operators.ledger;

import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;

/**
 * One user's charges while one report is judged: those on its model, unless that is unknown, and
 * those on all models. The limits of both must leave what the report costs, and both are charged.
 */
final class Charges {
  private final UserAccount account;
  private final String modelId;
  private final Source source;
  private final Spending onModel;
  private final Spending onAll;

  /** The charges on all models alone. */
  Charges(Budget perUser, UserAccount account, Source source) {
    this(null, "", perUser, account, source);
  }

  /**
   * The charges of a report to a known model.
   *
   * @param source of the report
   */
  Charges(Budget perModel, String modelId, Budget perUser, UserAccount account, Source source) {
    this.account = account;
    this.modelId = modelId;
    this.source = source;
    long appendedAtMs = source.appendedAtMs();
    onAll = new Spending(perUser, account.userTotals(), account.userDays(), appendedAtMs);
    onModel =
        perModel == null
            ? null
            : new Spending(
                perModel, account.modelTotals(modelId), account.modelDays(modelId), appendedAtMs);
  }

  /** Returns the totals on the known model; changes are stored by {@link #charge}. */
  Totals onModel() {
    return onModel.all();
  }

  /** Judges whether the limits on the known model leave a cost, then those on all models. */
  Judgement judge(Totals cost) {
    return onModel.judge(cost).then(() -> onAll.judge(cost));
  }

  /** Charges a cost, and stores it in the account. */
  void charge(Totals cost) {
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

  /** Erases the account but for its totals over all models. */
  void erase() {
    account.erase(onAll.daysOnOne());
  }

  /** Records the totals, and what the limits leave. */
  void record(AccountingEvent.Builder event) {
    if (onModel != null) {
      onModel.record(event::setModelTotals, event::setModelWindow, event::setLeftModel);
    }
    onAll.record(event::setUserTotals, event::setUserWindow, event::setLeftUser);
    if (event.hasModelWindow() || event.hasUserWindow()) {
      event.setAppendedAtMs(source.appendedAtMs());
    }
  }
}
