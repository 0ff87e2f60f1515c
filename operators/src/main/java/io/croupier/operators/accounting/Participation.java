package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.schemas.CentralSpend;

/**
 * One user's participation in a round of a central model, as long as nobody takes part in between.
 */
final class Participation {
  private final TreeCharge charge;
  private final RunningZeta running;
  private final long round;
  private final long zeta;

  /**
   * Works out what a participation costs, and stores nothing.
   *
   * @param spent totals of the user and the model
   * @param round with a leaf, after that of the last participation
   */
  Participation(TreeCharge charge, UserAccount account, String modelId, Totals spent, long round) {
    this.charge = charge;
    this.round = round;
    running = charge.running(account.runningZeta(modelId), spent.lastRound, round);
    zeta = charge.zeta(running, round);
  }

  /** What it costs. */
  Totals cost() {
    return Costs.central((double) zeta, charge.noiseMultiplier());
  }

  /** The record of it. */
  CentralSpend toProto() {
    return charge.toProto(zeta);
  }

  /** Lets it happen. */
  void store(UserAccount account, String modelId) {
    charge.charge(running, round);
    account.storeRunningZeta(modelId, running);
  }
}
