package io.croupier.cli.account;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.accounting.DailyTotals;
import io.croupier.operators.accounting.DeviceWindow;
import io.croupier.operators.accounting.TokenRecord;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.operators.accounting.WholeCharge;
import io.croupier.schemas.AccountingEvent;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * One user's recomputed account. It keeps no replay windows: events already contain the verdict on
 * repeated reports.
 */
final class RecomputedAccount implements UserAccount {
  private static final DailyTotals NO_DAYS = new DailyTotals();

  private final SpendTotals all = new SpendTotals();
  private DailyTotals userDays = NO_DAYS;
  private final Map<String, SpendTotals> models = new TreeMap<>();
  private final Map<String, DailyTotals> modelDays = new HashMap<>();
  private final Map<String, RunningZeta> zetas = new HashMap<>();
  private final Map<String, WholeCharge> wholeCharges = new HashMap<>();
  private final Map<String, TokenRecord> tokens = new HashMap<>();
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
    all.addRho(rho);
    models.computeIfAbsent(modelId, id -> new SpendTotals()).addRho(rho);
  }

  @Override
  public void erase(DailyTotals days) {
    long missing = all.totals().epsilonNanos - countedNanos;
    if (missing > 0) {
      all.countMissing(DecimalUnits.toDouble(missing, 9));
      countedNanos += missing;
    }
    erased = all.totals().reports == 0 ? null : all.copy();
    userDays = days;
    models.clear();
    modelDays.clear();
    zetas.clear();
    wholeCharges.clear();
    tokens.clear();
  }

  @Override
  public boolean isErased() {
    return erased != null;
  }

  @Override
  public Totals userTotals() {
    return all.totals();
  }

  @Override
  public void storeUserTotals(Totals totals) {
    all.setTotals(totals);
  }

  @Override
  public Totals modelTotals(String modelId) {
    SpendTotals known = models.get(modelId);
    if (known != null) {
      return known.totals();
    }
    return erased == null ? new Totals() : erased.totals().copyOfCharges();
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    models
        .computeIfAbsent(modelId, id -> erased == null ? new SpendTotals() : erased.copy())
        .setTotals(totals);
  }

  @Override
  public DailyTotals userDays() {
    return userDays;
  }

  @Override
  public void storeUserDays(DailyTotals days) {
    userDays = days;
  }

  @Override
  public DailyTotals modelDays(String modelId) {
    return modelDays.getOrDefault(modelId, NO_DAYS);
  }

  @Override
  public void storeModelDays(String modelId, DailyTotals days) {
    modelDays.put(modelId, days);
  }

  @Override
  public RunningZeta runningZeta(String modelId) {
    return zetas.getOrDefault(modelId, new RunningZeta());
  }

  @Override
  public void storeRunningZeta(String modelId, RunningZeta running) {
    zetas.put(modelId, running);
  }

  @Override
  public WholeCharge wholeCharge(String modelId) {
    return wholeCharges.getOrDefault(modelId, new WholeCharge());
  }

  @Override
  public void storeWholeCharge(String modelId, WholeCharge charge) {
    wholeCharges.put(modelId, charge);
  }

  @Override
  public TokenRecord token(String modelId) {
    return tokens.getOrDefault(modelId, TokenRecord.NONE);
  }

  @Override
  public void storeToken(String modelId, TokenRecord token) {
    tokens.put(modelId, token);
  }

  @Override
  public DeviceWindow window(String deviceId) {
    return new DeviceWindow(deviceId);
  }

  @Override
  public void storeWindow(DeviceWindow window) {}
}
