package io.croupier.cli.fuzz;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import java.util.HashMap;
import java.util.Map;

/** An account in memory. */
final class MapAccount implements UserAccount {
  private final Map<String, Totals> totals = new HashMap<>();
  private final Map<String, RunningZeta> zetas = new HashMap<>();
  private final Map<String, ReplayWindow> windows = new HashMap<>();
  private Totals all = new Totals();

  @Override
  public Totals userTotals() {
    return all;
  }

  @Override
  public void storeUserTotals(Totals changed) {
    all = changed;
  }

  @Override
  public Totals modelTotals(String modelId) {
    return totals.getOrDefault(modelId, new Totals());
  }

  @Override
  public void storeModelTotals(String modelId, Totals changed) {
    totals.put(modelId, changed);
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
  public ReplayWindow window(String deviceId) {
    return windows.getOrDefault(deviceId, new ReplayWindow());
  }

  @Override
  public void storeWindow(String deviceId, ReplayWindow window) {
    windows.put(deviceId, window);
  }

  @Override
  public int devices() {
    return windows.size();
  }
}
