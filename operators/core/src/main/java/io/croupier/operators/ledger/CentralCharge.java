package io.croupier.operators.ledger;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.TreeNoise;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.Limits;
import java.util.Optional;

/** The cost of participations in a central model; built once per spec. */
sealed interface CentralCharge permits TreeCharge, BltCharge {

  /** Returns the charge for a mechanism under the limits of its spec. */
  static CentralCharge of(CentralMechanism mechanism, Limits limits) {
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
   * Returns the participation that an event records; empty if it is impossible.
   *
   * @param account the account, to which all earlier events were applied
   */
  static Optional<Participation> fromEvent(
      CentralSpend recorded, UserAccount account, String modelId, Totals spent, long round) {
    return recorded.hasBlt()
        ? BltCharge.fromEvent(recorded, account.wholeCharge(modelId), round)
        : TreeCharge.of(recorded)
            .filter(tree -> tree.refusal(round).isEmpty())
            .map(tree -> tree.participation(account, modelId, spent, round));
  }

  /**
   * Returns why the noise doesn't cover a round; empty if it does. The round must be at least 0.
   */
  Optional<String> refusal(long round);

  /**
   * Computes a participation and its cost, and stores nothing.
   *
   * @param spent totals of the user and the model
   * @param round a round that {@link #refusal} allows, later than that of the last participation
   */
  Participation participation(UserAccount account, String modelId, Totals spent, long round);
}
