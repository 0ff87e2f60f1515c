package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.tree.RunningZeta;
import io.croupier.schemas.CentralSpend;

/**
 * A participation in a model with a tree's noise.
 *
 * @param running the earlier charge of the round's tree
 * @param zeta by how much the user's weighted zeta rises
 */
record TreeParticipation(TreeCharge charge, RunningZeta running, long round, double zeta)
    implements Participation {

  @Override
  public Cost cost() {
    // The variation is per unit of zeta at weight 1; no participation weighs less.
    return Cost.central(zeta, charge.noiseMultiplier(), zeta * charge.variation());
  }

  @Override
  public CentralSpend toProto() {
    return charge.toProto(zeta, running);
  }

  @Override
  public void store(UserAccount account, String modelId) {
    charge.charge(running, round);
    account.storeRunningZeta(modelId, running);
  }
}
