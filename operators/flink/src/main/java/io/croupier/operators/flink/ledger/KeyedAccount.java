package io.croupier.operators.flink.ledger;

import static io.croupier.operators.flink.ledger.StateAccess.read;
import static io.croupier.operators.flink.ledger.StateAccess.write;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.former.FormerDigests;
import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.AdmissionRules;
import io.croupier.operators.ledger.DailyTotals;
import io.croupier.operators.ledger.HeldAccount;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.Refusal;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.schemas.Account;
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
final class KeyedAccount extends HeldAccount {

  private final KeyedStateStore state;
  private final ValueState<StoredAccount> accounts;
  private final FormerDigests formerDigests;

  /** Null until the first use, as {@link #tokens}: see {@link #furtherModels()}. */
  private MapState<String, ModelAccount> furtherModels;

  private MapState<String, byte[]> tokens;

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
    super(null);
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
    } else if (formerDigests != null && read(() -> formerDigests.moveTo(account))) {
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

  /** Deletes the stored account, of which an erasure has left the totals. */
  void forget() {
    write(accounts::clear);
    write(() -> furtherModels().clear());
    write(() -> tokens().clear());
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

  @Override
  protected ModelAccount model(String modelId) {
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

  @Override
  protected ModelAccount changing(String modelId) {
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
    super.erase(days);
    further = null;
    furtherChanged = false;
    write(() -> furtherModels().clear());
    write(() -> tokens().clear());
  }

  @Override
  protected void changed() {
    changed = true;
  }

  @Override
  public byte[] token(String modelId) {
    return read(() -> tokens().get(modelId));
  }

  @Override
  public void storeToken(String modelId, byte[] token) {
    write(() -> tokens().put(modelId, token));
  }
}
