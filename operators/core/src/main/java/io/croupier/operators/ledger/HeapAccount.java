package io.croupier.operators.ledger;

import java.util.HashMap;
import java.util.Map;

/**
 * One user's account on the heap. A recording has one for every user, and most accesses miss the
 * processor's caches, so the account is small and needs few pointer steps. Arrays suffice, since a
 * user has few models. Not thread-safe.
 */
public class HeapAccount extends HeldAccount {
  private Map<String, byte[]> tokens = Map.of();

  /** Creates an account without reports. */
  public HeapAccount() {
    super(new StoredAccount());
  }

  @Override
  protected ModelAccount model(String modelId) {
    return account.model(modelId);
  }

  @Override
  protected ModelAccount changing(String modelId) {
    ModelAccount known = model(modelId);
    if (known != null) {
      return known;
    }
    ModelAccount model = new ModelAccount(modelId.intern()); // all accounts share one string
    model.totals = modelTotals(modelId);
    account.models = ModelAccount.with(account.models, model);
    return model;
  }

  @Override
  public void erase(DailyTotals days) {
    super.erase(days);
    tokens = Map.of();
  }

  @Override
  public byte[] token(String modelId) {
    return tokens.get(modelId);
  }

  @Override
  public void storeToken(String modelId, byte[] token) {
    tokens = tokens.isEmpty() ? new HashMap<>() : tokens;
    tokens.put(modelId, token);
  }
}
