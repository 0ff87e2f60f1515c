package io.croupier.operators.accounting;

import io.croupier.schemas.BltSpend;
import io.croupier.schemas.CentralSpend;

/**
 * A participation in a model with buffered linear Toeplitz noise.
 *
 * @param before what was charged until now
 * @param after what is charged with it
 */
record BltParticipation(WholeCharge before, WholeCharge after) implements Participation {

  @Override
  public Totals cost() {
    return Costs.central(after.zetaAfter(before), after.noiseMultiplier);
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
