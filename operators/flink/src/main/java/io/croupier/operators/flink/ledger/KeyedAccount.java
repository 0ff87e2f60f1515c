package io.croupier.operators.flink.ledger;

import static io.croupier.operators.flink.ledger.StateAccess.read;
import static io.croupier.operators.flink.ledger.StateAccess.write;

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

/**
 * The account of one user while one record is judged. Whenever it is called, the user is the
 * current key. {@link KeyedAccounts#load} and {@link #store} read one value and write one, for a
 * report of any device to one of the user's first models.
 *
 * <p>There is a new one for each record, since with the G1 collector a reference that is stored in
 * an old object costs a memory fence.
 */
final class KeyedAccount extends HeldAccount {
  private final KeyedAccounts accounts;
  private boolean changed;

  /** The last accessed one of the further models; null if none was. */
  private ModelAccount further;

  private boolean furtherChanged;

  KeyedAccount(KeyedAccounts accounts, StoredAccount account, boolean changed) {
    super(account);
    this.accounts = accounts;
    this.changed = changed;
  }

  StoredAccount value() {
    return account;
  }

  /** Writes what has changed. */
  void store() {
    if (changed) {
      accounts.store(account);
      changed = false;
    }
    storeFurther();
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
        tag,
        account,
        hasFurther ? read(() -> accounts.furtherModels().values()) : List.of(),
        rules,
        asOfMs);
  }

  private void storeFurther() {
    if (furtherChanged) {
      write(() -> accounts.furtherModels().put(further.modelId, further));
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
      further = read(() -> accounts.furtherModels().get(modelId));
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
    write(() -> accounts.furtherModels().clear());
    write(() -> accounts.tokens().clear());
  }

  @Override
  protected void changed() {
    changed = true;
  }

  @Override
  public byte[] token(String modelId) {
    return read(() -> accounts.tokens().get(modelId));
  }

  @Override
  public void storeToken(String modelId, byte[] token) {
    write(() -> accounts.tokens().put(modelId, token));
  }
}
