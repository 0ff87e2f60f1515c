package io.croupier.operators.flink.ledger;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.operators.accounting.WholeCharge;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.util.FlinkRuntimeException;

/** The account of the current key's user, in keyed state. */
final class KeyedAccount implements UserAccount {
  private final ValueState<Totals> userTotals;
  private final MapState<String, Totals> modelTotals;
  private final MapState<String, RunningZeta> runningZetas;
  private final MapState<String, WholeCharge> wholeCharges;
  private final MapState<String, ReplayWindow> windows;

  KeyedAccount(
      ValueState<Totals> userTotals,
      MapState<String, Totals> modelTotals,
      MapState<String, RunningZeta> runningZetas,
      MapState<String, WholeCharge> wholeCharges,
      MapState<String, ReplayWindow> windows) {
    this.userTotals = userTotals;
    this.modelTotals = modelTotals;
    this.runningZetas = runningZetas;
    this.wholeCharges = wholeCharges;
    this.windows = windows;
  }

  @Override
  public Totals userTotals() {
    Totals totals = read(userTotals::value);
    return totals == null ? new Totals() : totals;
  }

  @Override
  public void storeUserTotals(Totals totals) {
    write(() -> userTotals.update(totals));
  }

  @Override
  public Totals modelTotals(String modelId) {
    Totals totals = read(() -> modelTotals.get(modelId));
    return totals == null ? new Totals() : totals;
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    write(() -> modelTotals.put(modelId, totals));
  }

  @Override
  public RunningZeta runningZeta(String modelId) {
    RunningZeta running = read(() -> runningZetas.get(modelId));
    return running == null ? new RunningZeta() : running;
  }

  @Override
  public void storeRunningZeta(String modelId, RunningZeta running) {
    write(() -> runningZetas.put(modelId, running));
  }

  @Override
  public WholeCharge wholeCharge(String modelId) {
    WholeCharge charge = read(() -> wholeCharges.get(modelId));
    return charge == null ? new WholeCharge() : charge;
  }

  @Override
  public void storeWholeCharge(String modelId, WholeCharge charge) {
    write(() -> wholeCharges.put(modelId, charge));
  }

  @Override
  public ReplayWindow window(String deviceId) {
    ReplayWindow window = read(() -> windows.get(deviceId));
    return window == null ? new ReplayWindow() : window;
  }

  @Override
  public void storeWindow(String deviceId, ReplayWindow window) {
    write(() -> windows.put(deviceId, window));
  }

  @Override
  public int devices() {
    return read(
        () -> {
          int devices = 0;
          for (String ignored : windows.keys()) {
            devices++;
          }
          return devices;
        });
  }

  private static <T> T read(Callable<T> state) {
    try {
      return state.call();
    } catch (Exception e) {
      throw new FlinkRuntimeException("The ledger's state can't be read", e);
    }
  }

  private interface Write {
    void run() throws Exception;
  }

  private static void write(Write state) {
    try {
      state.run();
    } catch (Exception e) {
      throw new FlinkRuntimeException("The ledger's state can't be written", e);
    }
  }
}
