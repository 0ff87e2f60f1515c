package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.BltSpend;
import io.croupier.schemas.CentralSpend;

/**
 * A participation in a model with buffered linear Toeplitz noise.
 *
 * @param before the charge before the participation
 * @param after the charge with the participation
 * @param variation total variation of all releases; 0 if the event contains it
 */
record BltParticipation(WholeCharge before, WholeCharge after, double variation)
    implements Participation {

  @Override
  public Cost cost() {
    double zeta = after.zetaAfter(before);
    return Cost.central(zeta, after.noiseMultiplier, zeta > 0 ? variation : 0);
  }

  @Override
  public CentralSpend toProto() {
    return CentralSpend.newBuilder()
        .setZeta(after.zetaAfter(before))
        .setNoiseMultiplier(after.noiseMultiplier)
        .setTrees(after.sums)
        .setBlt(
            BltSpend.newBuilder()
                .setBuffers(after.buffers)
                .setHorizon(after.horizon)
                .setMaxParticipations(after.maxParticipations)
                .setMinSeparation(after.minSeparation)
                .setZeta(after.zeta))
        .build();
  }

  @Override
  public void store(UserAccount account, String modelId) {
    if (after != before) {
      account.storeWholeCharge(modelId, after);
    }
  }
}
