package io.croupier.operators.flink.ledger;

import static io.croupier.operators.flink.ledger.StateAccess.read;
import static io.croupier.operators.flink.ledger.StateAccess.write;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.AdmissionRules;
import io.croupier.operators.ledger.DailyTotals;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.Refusal;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.ledger.TokenRecord;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.ledger.UserAccount;
import io.croupier.operators.ledger.WholeCharge;
import io.croupier.schemas.Account;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The account of one user, in keyed state. Between {@link #load} and {@link #store} the user is the
 * current key. Together they read one value and write one, for a report of any device to one of the
 * user's first models.
 */
final class KeyedAccount implements UserAccount {
  private static final DailyTotals NO_DAYS = new DailyTotals();

  private final KeyedStateStore state;
  private final ValueState<StoredAccount> accounts;
  private final FormerDigests formerDigests;

  /** Null until the first use, as {@link #tokens}: see {@link #furtherModels()}. */
  private MapState<String, ModelAccount> furtherModels;

  private MapState<String, byte[]> tokens;

  private StoredAccount account;
  private boolean changed;

  /** The last accessed one of the further models; null if none was. */
  private ModelAccount further;

  private boolean furtherChanged;

  /**
   * Creates the account.
   *
   * @param formerDigests where digests are of users whose account was not accessed since release
   *     0.2.0; null if there can be none
   */
  KeyedAccount(KeyedStateStore state, FormerDigests formerDigests) {
    this.state = state;
    accounts =
        state.getState(
            new ValueStateDescriptor<>(StateNames.ACCOUNTS, new StoredAccountSerializer()));
    this.formerDigests = formerDigests;
  }

  /**
   * The state of models that the account has no room for. On the heap, a state has a table for each
   * key group, which every checkpoint searches, so most jobs do without this one and {@link
   * #tokens()}.
   */
  private MapState<String, ModelAccount> furtherModels() {
    if (furtherModels == null) {
      furtherModels =
          state.getMapState(
              new MapStateDescriptor<>(
                  StateNames.FURTHER_MODELS,
                  Types.STRING.createSerializer(null),
                  new ModelAccountSerializer()));
    }
    return furtherModels;
  }

  private MapState<String, byte[]> tokens() {
    if (tokens == null) {
      tokens =
          state.getMapState(
              new MapStateDescriptor<>(
                  StateNames.TOKENS,
                  Types.STRING,
                  PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }
    return tokens;
  }

  /** Reads the account of the current key's user. */
  void load() {
    account = read(accounts::value);
    if (account == null) {
      account = new StoredAccount();
    } else if (formerDigests != null && formerDigests.moveTo(account)) {
      changed = true;
    }
  }

  /** Writes what has changed since {@link #load}. */
  void store() {
    if (changed) {
      write(() -> accounts.update(account));
      changed = false;
    }
    storeFurther();
    account = null;
  }

  /** Keeps a refused report. */
  void add(Refusal refusal) {
    account.add(refusal);
    changed = true;
  }

  /**
   * States the account.
   *
   * @param tag of the request
   * @param rules of a model; null if it is not published
   * @param asOfMs when the broker appended the request
   */
  Account state(
      AccountStatement statement, byte[] tag, Function<String, AdmissionRules> rules, long asOfMs) {
    boolean hasFurther = account.models.length == StoredAccount.MODELS;
    return statement.of(
        tag, account, hasFurther ? read(() -> furtherModels().values()) : List.of(), rules, asOfMs);
  }

  private void storeFurther() {
    if (furtherChanged) {
      write(() -> furtherModels().put(further.modelId, further));
      furtherChanged = false;
    }
    further = null;
  }

  /** Returns the account of a model; null if there is none. */
  private ModelAccount model(String modelId) {
    ModelAccount model = account.model(modelId);
    if (model != null || account.models.length < StoredAccount.MODELS) {
      return model;
    }
    if (further == null || !further.modelId.equals(modelId)) {
      storeFurther();
      further = read(() -> furtherModels().get(modelId));
    }
    return further;
  }

  /** Returns the account of a model, which the caller changes. */
  private ModelAccount changing(String modelId) {
    ModelAccount model = model(modelId);
    if (model == null) {
      model = new ModelAccount(modelId);
      if (!account.add(model)) {
        further = model;
      }
    }
    if (model == further) {
      furtherChanged = true;
    } else {
      changed = true;
    }
    return model;
  }

  @Override
  public void erase(DailyTotals days) {
    StoredAccount erased = new StoredAccount();
    erased.totals = account.totals;
    erased.erased = account.totals.erased();
    erased.days = days;
    account = erased;
    changed = true;
    further = null;
    furtherChanged = false;
    write(() -> furtherModels().clear());
    write(() -> tokens().clear());
  }

  @Override
  public boolean isErased() {
    return account.erased != null;
  }

  @Override
  public Totals userTotals() {
    return account.totals;
  }

  @Override
  public void storeUserTotals(Totals totals) {
    account.totals = totals;
    changed = true;
  }

  @Override
  public Totals modelTotals(String modelId) {
    ModelAccount model = model(modelId);
    if (model != null) {
      return model.totals;
    }
    return account.erased == null ? new Totals() : account.erased.copyOfCharges();
  }

  @Override
  public void storeModelTotals(String modelId, Totals totals) {
    changing(modelId).totals = totals;
  }

  @Override
  public DailyTotals userDays() {
    return account.days == null ? NO_DAYS : account.days;
  }

  @Override
  public void storeUserDays(DailyTotals days) {
    account.days = days;
    changed = true;
  }

  @Override
  public DailyTotals modelDays(String modelId) {
    ModelAccount model = model(modelId);
    return model == null || model.days == null ? NO_DAYS : model.days;
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
    byte[] stored = read(() -> tokens().get(modelId));
    if (stored == null) {
      return TokenRecord.NONE;
    }
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    long window = bytes.getLong();
    byte[] tag = new byte[bytes.remaining()];
    bytes.get(tag);
    return new TokenRecord(window, tag);
  }

  @Override
  public void storeToken(String modelId, TokenRecord token) {
    byte[] bytes =
        ByteBuffer.allocate(Long.BYTES + token.tag().length)
            .putLong(token.window())
            .put(token.tag())
            .array();
    write(() -> tokens().put(modelId, bytes));
  }

  @Override
  public DeviceWindow window(String deviceId) {
    DeviceWindow known = account.window(deviceId);
    return known == null ? new DeviceWindow(deviceId) : known;
  }

  @Override
  public void storeWindow(DeviceWindow window) {
    account.store(window);
    changed = true;
  }
}
