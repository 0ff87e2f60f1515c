package io.croupier.cli.replay;

import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import java.util.HashMap;
import java.util.Map;

/** One user's account on the heap. Small: there is one for every user of a recording. */
final class Account implements UserAccount {
  private static final int USUAL_ENTRIES = 1;

  private final Map<String, Totals> models = new HashMap<>(USUAL_ENTRIES);
  private final Map<String, ReplayWindow> windows = new HashMap<>(USUAL_ENTRIES);
  private Totals user = new Totals();

  @Override
  public Totals userTotals() {
    return user;
  }

  @Override
  public void storeUserTotals(Totals totals) {
    user = totals;
  }

  @Override
  public Totals modelTotals(String modelId) {
    Totals totals = models.get(modelId);
    return totals == null ? new Totals() : totals;
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    models.put(modelId, totals);
  }

  @Override
  public ReplayWindow window(String deviceId) {
    ReplayWindow window = windows.get(deviceId);
    return window == null ? new ReplayWindow() : window;
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
