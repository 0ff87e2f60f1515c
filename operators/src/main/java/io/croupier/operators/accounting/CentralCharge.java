package io.croupier.operators.accounting;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.TreeNoise;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.util.Optional;

/** What participations in a central model cost; made once per spec. */
sealed interface CentralCharge permits TreeCharge, BltCharge {

  /** The charge of a valid spec; empty if the model is not central. */
  static Optional<CentralCharge> of(ModelSpec spec) {
    return CentralMechanism.of(spec).map(mechanism -> of(mechanism, spec.getLimits()));
  }

  private static CentralCharge of(CentralMechanism mechanism, Limits limits) {
    if (mechanism.noise() instanceof TreeNoise tree) {
      return new TreeCharge(
          mechanism.noiseMultiplier(),
          mechanism.sums(),
          mechanism.weight(),
          tree.restartEvery(),
          mechanism.variation(1));
    }
    return new BltCharge(
        mechanism,
        new ParticipationLimits(limits.getMaxParticipations(), limits.getMinSeparation()));
  }

  /**
   * The participation that an event tells of; empty if there is none such.
   *
   * @param account to which all events before it were applied
   */
  static Optional<Participation> told(
      CentralSpend told, UserAccount account, String modelId, Totals spent, long round) {
    return told.hasBlt()
        ? BltCharge.told(told, account.wholeCharge(modelId), round)
        : TreeCharge.of(told)
            .filter(tree -> tree.refusal(round).isEmpty())
            .map(tree -> tree.participation(account, modelId, spent, round));
  }

  /** Why the noise has no room for a round, at least 0; empty if it has. */
  Optional<String> refusal(long round);

  /**
   * Works out what a participation costs, and stores nothing.
   *
   * @param spent totals of the user and the model
   * @param round that is not refused, after that of the last participation
   */
  Participation participation(UserAccount account, String modelId, Totals spent, long round);
}
