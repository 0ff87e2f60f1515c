package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;
import java.util.HashMap;
import java.util.Map;

/**
 * One user's account on the heap. A recording has one for every user, and most accesses miss the
 * processor's caches, so the account is small and needs few pointer steps. Arrays suffice, since a
 * user has few models. Not thread-safe.
 */
public class HeapAccount implements UserAccount {
  private static final ModelAccount[] NO_MODELS = {};
  private static final DeviceWindow[] NO_WINDOWS = {};

  private Totals user = new Totals();
  private ModelAccount[] models = NO_MODELS;
  private DailyTotals userDays = DailyTotals.NONE;
  private Map<String, TokenRecord> tokens = Map.of();
  private DeviceWindow[] windows = NO_WINDOWS;
  private Totals erased;

  /** Creates an account without reports. */
  public HeapAccount() {}

  /** The account of a model; null before its first report. */
  private ModelAccount model(String modelId) {
    return ModelAccount.find(models, modelId);
  }

  private ModelAccount changing(String modelId) {
    ModelAccount known = model(modelId);
    if (known != null) {
      return known;
    }
    ModelAccount model = new ModelAccount(modelId);
    model.totals = modelTotals(modelId);
    models = ModelAccount.with(models, model);
    return model;
  }

  @Override
  public void erase(DailyTotals days) {
    erased = user.erased();
    userDays = days;
    models = NO_MODELS;
    tokens = Map.of();
    windows = NO_WINDOWS;
  }

  @Override
  public boolean isErased() {
    return erased != null;
  }

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
    ModelAccount model = model(modelId);
    if (model != null) {
      return model.totals;
    }
    return erased == null ? new Totals() : erased.copyOfCharges();
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    changing(modelId).totals = totals;
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
  public TokenRecord token(String modelId) {
    return tokens.getOrDefault(modelId, TokenRecord.NONE);
  }

  @Override
  public void storeToken(String modelId, TokenRecord token) {
    tokens = tokens.isEmpty() ? new HashMap<>() : tokens;
    tokens.put(modelId, token);
  }

  @Override
  public DeviceWindow window(String deviceId) {
    DeviceWindow known = DeviceWindows.find(windows, deviceId);
    return known == null ? new DeviceWindow(deviceId) : known;
  }

  @Override
  public void storeWindow(DeviceWindow window) {
    windows = DeviceWindows.with(windows, window);
  }
}
