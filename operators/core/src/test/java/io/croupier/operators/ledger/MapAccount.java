package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An account in plain maps, which records every access. */
public final class MapAccount implements UserAccount {
  final Map<String, Totals> models = new HashMap<>();
  final Map<String, DailyTotals> modelDays = new HashMap<>();
  final Map<String, RunningZeta> zetas = new HashMap<>();
  final Map<String, WholeCharge> wholeCharges = new HashMap<>();
  final Map<String, byte[]> tokens = new HashMap<>();
  DeviceWindow[] windows = {};
  final List<String> accesses = new ArrayList<>();
  private Totals user = new Totals();
  private DailyTotals userDays = DailyTotals.NONE;
  private Totals erased;

  @Override
  public void erase(DailyTotals days) {
    erased = user.erased();
    userDays = days;
    models.clear();
    modelDays.clear();
    zetas.clear();
    wholeCharges.clear();
    tokens.clear();
    windows = new DeviceWindow[0];
  }

  @Override
  public byte[] token(String modelId) {
    return tokens.get(modelId);
  }

  @Override
  public void storeToken(String modelId, byte[] token) {
    tokens.put(modelId, token);
  }

  @Override
  public boolean isErased() {
    return erased != null;
  }

  @Override
  public Totals userTotals() {
    accesses.add("user");
    return user;
  }

  @Override
  public void storeUserTotals(Totals totals) {
    user = totals;
  }

  @Override
  public Totals modelTotals(String modelId) {
    accesses.add("model " + modelId);
    Totals known = models.get(modelId);
    if (known != null) {
      return known;
    }
    return erased == null ? new Totals() : erased.copyOfCharges();
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    models.put(modelId, totals);
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
    return modelDays.getOrDefault(modelId, DailyTotals.NONE);
  }

  @Override
  public void storeModelDays(String modelId, DailyTotals days) {
    modelDays.put(modelId, days);
  }

  @Override
  public RunningZeta runningZeta(String modelId) {
    accesses.add("zeta " + modelId);
    return zetas.getOrDefault(modelId, new RunningZeta());
  }

  @Override
  public void storeRunningZeta(String modelId, RunningZeta running) {
    zetas.put(modelId, running);
  }

  @Override
  public WholeCharge wholeCharge(String modelId) {
    accesses.add("whole " + modelId);
    return wholeCharges.getOrDefault(modelId, new WholeCharge());
  }

  @Override
  public void storeWholeCharge(String modelId, WholeCharge charge) {
    wholeCharges.put(modelId, charge);
  }

  @Override
  public DeviceWindow window(String deviceId) {
    accesses.add("window " + deviceId);
    DeviceWindow known = DeviceWindows.find(windows, deviceId);
    return known == null ? new DeviceWindow(deviceId) : known;
  }

  @Override
  public void storeWindow(DeviceWindow window) {
    windows = DeviceWindows.with(windows, window);
  }
}
