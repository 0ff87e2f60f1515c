package io.croupier.operators.flink.ledger;

import io.croupier.operators.accounting.DeviceWindow;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.flink.StateNames;
import java.io.IOException;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * What the ledger does to keyed state for a report, without its judgement: reads the window of the
 * device, the totals of the model and those of the user, adds to each, and writes what has changed.
 * It is in the ledger's package because {@link KeyedAccount} is package-private.
 */
public final class AccountTurns extends AbstractStreamOperator<Long>
    implements OneInputStreamOperator<AccountTurns.Turn, Long> {
  private static final long serialVersionUID = 1;
  private static final String DEVICE = "8d2ad0f2b6f04e4c";
  private static final String MODEL = "model-0";

  /** A layout of the state. */
  public enum Layout {
    /**
     * That of release 0.1.0: three states in Flink's POJO format, with all digests in one value.
     */
    FORMER,
    /** One value of its own format. */
    OWN
  }

  /** A report of a user with a number. */
  public record Turn(String userId, long sequence) {}

  private interface Account {
    void charge(Turn turn) throws IOException;
  }

  private final Layout layout;
  private final Totals cost;
  private transient Account account;

  /**
   * Creates the operator.
   *
   * @param cost of each report
   */
  public AccountTurns(Layout layout, Totals cost) {
    this.layout = layout;
    this.cost = cost;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    KeyedStateStore state = context.getKeyedStateStore();
    account = layout == Layout.FORMER ? new Former(state) : new Own(state);
  }

  @Override
  public void processElement(StreamRecord<Turn> element) throws Exception {
    account.charge(element.getValue());
  }

  /** Spreads the bits of a number over a digest. */
  private static long digest(long sequence) {
    return sequence * 0x9E3779B97F4A7C15L;
  }

  private final class Own implements Account {
    private final KeyedAccount keyed;

    Own(KeyedStateStore state) {
      keyed = new KeyedAccount(state, null, null);
    }

    @Override
    public void charge(Turn turn) {
      keyed.load();
      DeviceWindow window = keyed.window(DEVICE);
      window.judge(turn.sequence, digest(turn.sequence));
      keyed.storeWindow(window);
      Totals model = keyed.modelTotals(MODEL);
      model.add(cost);
      keyed.storeModelTotals(MODEL, model);
      Totals user = keyed.userTotals();
      user.add(cost);
      keyed.storeUserTotals(user);
      keyed.store();
    }
  }

  private final class Former implements Account {
    private final ValueState<Totals> userTotals;
    private final MapState<String, Totals> modelTotals;
    private final MapState<String, ReplayWindow> windows;

    Former(KeyedStateStore state) {
      userTotals =
          state.getState(
              new ValueStateDescriptor<>(StateNames.USER_TOTALS, TypeInformation.of(Totals.class)));
      modelTotals =
          state.getMapState(
              new MapStateDescriptor<>(
                  StateNames.MODEL_TOTALS, Types.STRING, TypeInformation.of(Totals.class)));
      windows =
          state.getMapState(
              new MapStateDescriptor<>(
                  StateNames.REPLAY_WINDOWS, Types.STRING, TypeInformation.of(ReplayWindow.class)));
    }

    @Override
    public void charge(Turn turn) throws IOException {
      try {
        ReplayWindow window = windows.get(DEVICE);
        if (window == null) {
          window = new ReplayWindow();
          for (String device : windows.keys()) {
            throw new IllegalStateException("a second device: " + device);
          }
        }
        judge(window, turn.sequence);
        windows.put(DEVICE, window);
        Totals model = modelTotals.get(MODEL);
        Totals user = userTotals.value();
        model = model == null ? new Totals() : model;
        user = user == null ? new Totals() : user;
        model.add(cost);
        modelTotals.put(MODEL, model);
        user.add(cost);
        userTotals.update(user);
      } catch (Exception e) {
        throw new IOException(e);
      }
    }

    /** A number above all others; the digests are from the highest number down, two longs each. */
    private void judge(ReplayWindow window, long sequence) {
      long step = sequence - window.highest;
      boolean isNew = window.judged == 0;
      window.judged = isNew || step >= DeviceWindow.WIDTH ? 0 : window.judged << step;
      window.highest = sequence;
      int kept = 2 * Long.bitCount(window.judged);
      long[] target = window.digests.length == kept + 2 ? window.digests : new long[kept + 2];
      System.arraycopy(window.digests, 0, target, 2, kept);
      target[0] = digest(sequence);
      target[1] = ~target[0];
      window.digests = target;
      window.judged |= 1;
    }
  }
}
