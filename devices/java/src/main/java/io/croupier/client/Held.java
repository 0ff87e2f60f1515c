package io.croupier.client;

import io.croupier.client.ledger.StoredToken;

/**
 * A token of the ledger, read.
 *
 * @param stored how the ledger stores it
 * @param token what its bytes state
 */
record Held(StoredToken stored, HeldToken token) {

  static Held of(StoredToken stored) {
    return new Held(stored, HeldToken.parse(stored.bytes()));
  }

  long sequence() {
    return stored.sequence();
  }

  StoredToken.Stage stage() {
    return stored.stage();
  }

  boolean isOf(String modelId) {
    return token.challenge().modelId().equals(modelId);
  }

  long window() {
    return token.challenge().window();
  }
}
