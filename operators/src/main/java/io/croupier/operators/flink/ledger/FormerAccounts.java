package io.croupier.operators.flink.ledger;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.operators.accounting.WholeCharge;
import io.croupier.operators.flink.StateNames;
import java.util.Map;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The states in which release 0.1.0 kept accounts. A user's account leaves them when it is first
 * accessed, so that a start needs no pass over all users.
 */
final class FormerAccounts {
  private final ValueState<Totals> userTotals;
  private final MapState<String, Totals> modelTotals;
  private final MapState<String, RunningZeta> runningZetas;
  private final MapState<String, WholeCharge> wholeCharges;
  private final MapState<String, ReplayWindow> windows;

  FormerAccounts(KeyedStateStore state) {
    userTotals =
        state.getState(
            new ValueStateDescriptor<>(StateNames.USER_TOTALS, TypeInformation.of(Totals.class)));
    modelTotals = map(state, StateNames.MODEL_TOTALS, Totals.class);
    runningZetas = map(state, StateNames.RUNNING_ZETAS, RunningZeta.class);
    wholeCharges = map(state, StateNames.WHOLE_CHARGES, WholeCharge.class);
    windows = map(state, StateNames.REPLAY_WINDOWS, ReplayWindow.class);
  }

  private static <T> MapState<String, T> map(KeyedStateStore state, String name, Class<T> type) {
    return state.getMapState(
        new MapStateDescriptor<>(name, Types.STRING, TypeInformation.of(type)));
  }

  /** Moves the account of the current key's user, if there is one, into an empty one. */
  void moveTo(UserAccount account) {
    StateAccess.write(() -> move(account));
  }

  private void move(UserAccount account) throws Exception {
    Totals user = userTotals.value();
    // All charges are in the user's totals, and every device has a window.
    if (user == null && windows.isEmpty()) {
      return;
    }
    if (user != null) {
      account.storeUserTotals(user);
    }
    for (Map.Entry<String, Totals> entry : modelTotals.entries()) {
      account.storeModelTotals(entry.getKey(), entry.getValue());
    }
    for (Map.Entry<String, RunningZeta> entry : runningZetas.entries()) {
      account.storeRunningZeta(entry.getKey(), entry.getValue());
    }
    for (Map.Entry<String, WholeCharge> entry : wholeCharges.entries()) {
      account.storeWholeCharge(entry.getKey(), entry.getValue());
    }
    for (Map.Entry<String, ReplayWindow> entry : windows.entries()) {
      account.storeWindow(entry.getValue().move(entry.getKey()));
    }
    userTotals.clear();
    modelTotals.clear();
    runningZetas.clear();
    wholeCharges.clear();
    windows.clear();
  }
}
