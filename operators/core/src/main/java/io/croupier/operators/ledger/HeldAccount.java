package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;

/**
 * An account whose value is in memory. Subclasses know where the accounts of models and the tokens
 * are.
 *
 * <p>Totals and windows are changed in place, and not stored again where they are: the value is
 * old, and with the G1 collector a reference that is stored in an old object costs a memory fence.
 */
public abstract class HeldAccount implements UserAccount {
  /** The value. */
  protected StoredAccount account;

  /** Creates the account with its value. */
  protected HeldAccount(StoredAccount account) {
    this.account = account;
  }

  /** Returns the account of a model; null if there is none. */
  protected abstract ModelAccount model(String modelId);

  /** Returns the account of a model, which the caller changes. */
  protected abstract ModelAccount changing(String modelId);

  /** Takes note that the value has changed. */
  protected void changed() {}

  @Override
  public void erase(DailyTotals days) {
    StoredAccount erased = new StoredAccount();
    erased.totals = account.totals;
    erased.erased = account.totals.erased();
    erased.days = days;
    account = erased;
    changed();
  }

  @Override
  public boolean isErased() {
    return account.erased != null;
  }

  @Override
  public Totals userTotals() {
    return account.totals;
  }

  @Override
  public void storeUserTotals(Totals totals) {
    if (account.totals != totals) {
      account.totals = totals;
    }
    changed();
  }

  @Override
  public Totals modelTotals(String modelId) {
    ModelAccount model = model(modelId);
    if (model != null) {
      return model.totals;
    }
    return account.erased == null ? new Totals() : account.erased.copyOfCharges();
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    ModelAccount model = changing(modelId);
    if (model.totals != totals) {
      model.totals = totals;
    }
  }

  @Override
  public DailyTotals userDays() {
    return account.days == null ? DailyTotals.NONE : account.days;
  }

  @Override
  public void storeUserDays(DailyTotals days) {
    account.days = days;
    changed();
  }

  @Override
  public DailyTotals modelDays(String modelId) {
    ModelAccount model = model(modelId);
    return model == null || model.days == null ? DailyTotals.NONE : model.days;
  }

  @Override
  public void storeModelDays(String modelId, DailyTotals days) {
    changing(modelId).days = days;
  }

  @Override
  public RunningZeta runningZeta(String modelId) {
    ModelAccount model = model(modelId);
    return model == null || model.runningZeta == null ? new RunningZeta() : model.runningZeta;
  }

  @Override
  public void storeRunningZeta(String modelId, RunningZeta running) {
    changing(modelId).runningZeta = running;
  }

  @Override
  public WholeCharge wholeCharge(String modelId) {
    ModelAccount model = model(modelId);
    return model == null || model.wholeCharge == null ? new WholeCharge() : model.wholeCharge;
  }

  @Override
  public void storeWholeCharge(String modelId, WholeCharge charge) {
    changing(modelId).wholeCharge = charge;
  }

  @Override
  public DeviceWindow window(String deviceId) {
    DeviceWindow known = account.window(deviceId);
    return known == null ? new DeviceWindow(deviceId) : known;
  }

  @Override
  public void storeWindow(DeviceWindow window) {
    account.store(window);
    changed();
  }
}
