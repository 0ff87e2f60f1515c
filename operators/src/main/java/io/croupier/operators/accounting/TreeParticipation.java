package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.schemas.CentralSpend;

/**
 * A participation in a model with a tree's noise.
 *
 * @param running what was charged before for the tree of the round
 * @param zeta by which the user's rises
 */
record TreeParticipation(TreeCharge charge, RunningZeta running, long round, double zeta)
    implements Participation {

  @Override
  public Totals cost() {
    // No participation weighs less than 1.
    return Costs.central(zeta, charge.noiseMultiplier(), zeta * charge.variation());
  }

  @Override
  public CentralSpend toProto() {
    return charge.toProto(zeta);
  }

  @Override
  public void store(UserAccount account, String modelId) {
    charge.charge(running, round);
    account.storeRunningZeta(modelId, running);
  }
}
