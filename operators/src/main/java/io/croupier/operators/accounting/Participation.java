package io.croupier.operators.accounting;

import io.croupier.schemas.CentralSpend;

/**
 * One user's participation in a round of a central model, as long as nobody takes part in between.
 */
interface Participation {

  /** What it costs. */
  Totals cost();

  /** The record of it. */
  CentralSpend toProto();

  /** Lets it happen. */
  void store(UserAccount account, String modelId);
}
