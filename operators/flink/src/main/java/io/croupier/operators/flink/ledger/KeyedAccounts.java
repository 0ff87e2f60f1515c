package io.croupier.operators.flink.ledger;

import static io.croupier.operators.flink.ledger.StateAccess.read;
import static io.croupier.operators.flink.ledger.StateAccess.write;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.former.FormerDigests;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.StoredAccount;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The accounts of all users, in keyed state. Each method accesses that of the current key's user.
 */
final class KeyedAccounts {
  private final KeyedStateStore state;
  private final ValueState<StoredAccount> accounts;
  private final FormerDigests formerDigests;

  /** Null until the first use, as {@link #tokens}: see {@link #furtherModels()}. */
  private MapState<String, ModelAccount> furtherModels;

  private MapState<String, byte[]> tokens;

  /**
   * Creates the accounts.
   *
   * @param formerDigests where digests are of users whose account was not accessed since release
   *     0.2.0; null if there can be none
   */
  KeyedAccounts(KeyedStateStore state, FormerDigests formerDigests) {
    this.state = state;
    accounts =
        state.getState(
            new ValueStateDescriptor<>(StateNames.ACCOUNTS, new StoredAccountSerializer()));
    this.formerDigests = formerDigests;
  }

  /** Reads an account, which may be empty. */
  KeyedAccount load() {
    StoredAccount account = read(accounts::value);
    if (account == null) {
      return new KeyedAccount(this, new StoredAccount(), false);
    }
    boolean moved = formerDigests != null && read(() -> formerDigests.moveTo(account));
    return new KeyedAccount(this, account, moved);
  }

  /** Writes an account. */
  void store(StoredAccount account) {
    write(() -> accounts.update(account));
  }

  /** Deletes an account, of which an erasure has left the totals. */
  void forget() {
    write(accounts::clear);
    write(() -> furtherModels().clear());
    write(() -> tokens().clear());
  }

  /**
   * The state of models that the account has no room for. On the heap, a state has a table for each
   * key group, which every checkpoint searches, so most jobs do without this one and {@link
   * #tokens()}.
   */
  MapState<String, ModelAccount> furtherModels() {
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

  /** The state of the newest granted tokens, by model. */
  MapState<String, byte[]> tokens() {
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
}
