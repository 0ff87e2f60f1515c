package io.croupier.cli.account;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.ledger.DailyTotals;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.AccountingEvent;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/**
 * One user's recomputed account, with what its totals consist of. It keeps no replay windows:
 * events already contain the verdict on repeated reports.
 */
final class RecomputedAccount extends HeapAccount {
  private final SpendTotals all = new SpendTotals();
  private final Map<String, SpendTotals> models = new TreeMap<>();
  private SpendTotals erased;

  /** What the events add up to, in units of 1e-9. */
  private long countedNanos;

  /** Totals over all models. */
  SpendTotals all() {
    return all;
  }

  /** Totals of each model. */
  Map<String, SpendTotals> models() {
    return models;
  }

  /** Counts a charged report. */
  void count(AccountingEvent event) {
    all.count(event);
    countedNanos = all.totals().epsilonNanos;
    if (event.hasModelTotals()) {
      models.get(event.getModelId()).count(event);
    }
  }

  /** Adds a mechanism with a zCDP guarantee of rho. */
  void addRho(String modelId, BigDecimal rho) {
    Totals cost = new Totals();
    cost.reports = 1;
    Totals user = userTotals();
    user.add(cost);
    storeUserTotals(user);
    Totals model = modelTotals(modelId);
    model.add(cost);
    storeModelTotals(modelId, model);
    all.addRho(rho);
    models.get(modelId).addRho(rho);
  }

  @Override
  public void erase(DailyTotals days) {
    long missing = all.totals().epsilonNanos - countedNanos;
    if (missing > 0) {
      all.countMissing(DecimalUnits.toDouble(missing, 9));
      countedNanos += missing;
    }
    super.erase(days);
    erased = isErased() ? all.copy() : null;
    models.clear();
  }

  @Override
  public void storeUserTotals(Totals totals) {
    super.storeUserTotals(totals);
    all.setTotals(totals);
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    super.storeModelTotals(modelId, totals);
    models
        .computeIfAbsent(modelId, id -> erased == null ? new SpendTotals() : erased.copy())
        .setTotals(totals);
  }

  @Override
  public DeviceWindow window(String deviceId) {
    return new DeviceWindow(deviceId);
  }

  @Override
  public void storeWindow(DeviceWindow window) {}
}
