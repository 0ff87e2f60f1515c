package io.croupier.operators.ledger;

/**
 * What judging one of a user's reports usually accesses, in one value of keyed state: the totals
 * over all models, those of the user's first {@value #MODELS} models, and the windows of all
 * devices. The account of any further model is a state of its own. Never expires.
 */
public final class StoredAccount {
  /**
   * The most models in this value; it bounds what every report reads and writes. Part of the
   * state's format: with a larger number, models that stand in a state of their own would begin
   * anew.
   */
  public static final int MODELS = 4;

  /** The most refused reports that are kept. Reports that are admitted read and write them, too. */
  public static final int REFUSALS = 8;

  /** The totals over all models. */
  public Totals totals = new Totals();

  /** The user's first models, in order. */
  public ModelAccount[] models = {};

  /** The windows of the devices, as in {@link DeviceWindows}. */
  public DeviceWindow[] windows = {};

  /** The charges over all models on each day; null if no limit had a period. */
  public DailyTotals days;

  /**
   * What the totals of a model that has no entry begin with: all charges up to the last erasure of
   * the account; null if it was never erased.
   */
  public Totals erased;

  /** The last refused reports, at most {@value #REFUSALS}, the newest first. */
  public Refusal[] refusals = {};

  /** Creates an account without reports. */
  public StoredAccount() {}

  /**
   * Reads what a report with the last used device to the first model needs of each account, one
   * level of references of all accounts after the other.
   *
   * @return a number without meaning, which the caller keeps so that the compiler leaves no read
   *     out
   */
  public static long read(StoredAccount[] accounts) {
    long read = 0;
    for (StoredAccount account : accounts) {
      read += account.totals.read() + account.models.length + account.windows.length;
    }
    for (StoredAccount account : accounts) {
      if (account.models.length > 0 && account.windows.length > 0) {
        ModelAccount model = account.models[0];
        DeviceWindow window = account.windows[account.windows.length - 1];
        read += model.totals.read() + model.modelId.length() + window.deviceId.length();
        read += window.digests.length + window.endings.length;
      }
    }
    return read;
  }

  /** Returns the account of a model; null if it is not here. */
  public ModelAccount model(String modelId) {
    return ModelAccount.find(models, modelId);
  }

  /** Adds the account of a model that is not here; returns false if there is no room. */
  public boolean add(ModelAccount model) {
    if (models.length == MODELS) {
      return false;
    }
    models = ModelAccount.with(models, model);
    return true;
  }

  /** Returns the window of a device; null if it is not known. */
  public DeviceWindow window(String deviceId) {
    return DeviceWindows.find(windows, deviceId);
  }

  /** Keeps a refused report. */
  public void add(Refusal refusal) {
    Refusal[] newest = new Refusal[Math.min(refusals.length + 1, REFUSALS)];
    System.arraycopy(refusals, 0, newest, 1, newest.length - 1);
    newest[0] = refusal;
    refusals = newest;
  }

  /** Stores the window of a device, which is then the last used one. */
  public void store(DeviceWindow window) {
    DeviceWindow[] changed = DeviceWindows.with(windows, window);
    if (changed != windows) { // saves a memory fence, see HeldAccount
      windows = changed;
    }
  }
}
