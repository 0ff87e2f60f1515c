package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.CentralSpend;

/**
 * A computed participation of one user in a round of a central model. It is valid until the account
 * stores another participation in the model.
 */
interface Participation {

  /** Returns its cost. */
  Cost cost();

  /** Returns its record, once it is stored. */
  CentralSpend toProto();

  /** Stores the participation in the account. */
  void store(UserAccount account, String modelId);
}
