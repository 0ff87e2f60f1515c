package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;
import java.util.function.Supplier;

/**
 * One user's account on the heap. A recording has one for every user, and most accesses miss the
 * processor's caches, so the account is small and needs few pointer steps. Linked lists suffice,
 * since a user has few models. Not thread-safe.
 */
public final class HeapAccount implements UserAccount {
  private Totals user = new Totals();
  private NamedLink<Totals> models;
  private DailyTotals userDays = DailyTotals.NONE;
  private NamedLink<DailyTotals> modelDays;
  private NamedLink<RunningZeta> zetas;
  private NamedLink<WholeCharge> wholeCharges;
  private NamedLink<TokenRecord> tokens;
  private DeviceWindow[] windows = {};
  private Totals erased;

  /** Creates an account without reports. */
  public HeapAccount() {}

  /** A link of a list; {@code next} is null for the last one. */
  private static final class NamedLink<T> {
    private final String name;
    private final NamedLink<T> next;
    private T value;

    private NamedLink(String name, T value, NamedLink<T> next) {
      this.name = name;
      this.value = value;
      this.next = next;
    }

    /** Returns the value of a name, or {@code absent}. */
    private static <T> T get(NamedLink<T> first, String name, Supplier<T> absent) {
      NamedLink<T> link = find(first, name);
      return link == null ? absent.get() : link.value;
    }

    private static <T> NamedLink<T> find(NamedLink<T> first, String name) {
      NamedLink<T> link = first;
      while (link != null && !link.name.equals(name)) {
        link = link.next;
      }
      return link;
    }

    /** Stores a value and returns the first link of the list. */
    private static <T> NamedLink<T> put(NamedLink<T> first, String name, T value) {
      NamedLink<T> link = find(first, name);
      if (link == null) {
        return new NamedLink<>(name, value, first);
      }
      link.value = value;
      return first;
    }
  }

  @Override
  public void erase(DailyTotals days) {
    erased = user.erased();
    userDays = days;
    models = null;
    modelDays = null;
    zetas = null;
    wholeCharges = null;
    tokens = null;
    windows = new DeviceWindow[0];
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
    return NamedLink.get(
        models, modelId, () -> erased == null ? new Totals() : erased.copyOfCharges());
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    models = NamedLink.put(models, modelId, totals);
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
    return NamedLink.get(modelDays, modelId, () -> DailyTotals.NONE);
  }

  @Override
  public void storeModelDays(String modelId, DailyTotals days) {
    modelDays = NamedLink.put(modelDays, modelId, days);
  }

  @Override
  public RunningZeta runningZeta(String modelId) {
    return NamedLink.get(zetas, modelId, RunningZeta::new);
  }

  @Override
  public void storeRunningZeta(String modelId, RunningZeta running) {
    zetas = NamedLink.put(zetas, modelId, running);
  }

  @Override
  public WholeCharge wholeCharge(String modelId) {
    return NamedLink.get(wholeCharges, modelId, WholeCharge::new);
  }

  @Override
  public void storeWholeCharge(String modelId, WholeCharge charge) {
    wholeCharges = NamedLink.put(wholeCharges, modelId, charge);
  }

  @Override
  public TokenRecord token(String modelId) {
    return NamedLink.get(tokens, modelId, () -> TokenRecord.NONE);
  }

  @Override
  public void storeToken(String modelId, TokenRecord token) {
    tokens = NamedLink.put(tokens, modelId, token);
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
