package io.croupier.operators.ledger;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.BltParameters;
import io.croupier.schemas.BltSpend;
import io.croupier.schemas.CentralSpend;
import java.util.Optional;

/**
 * The cost of participations in a model with buffered linear Toeplitz noise. The first
 * participation costs as much as all that the limits allow up to the horizon; later ones cost
 * nothing, unless the limits have loosened: then they cost the difference.
 *
 * <p>Row t of the matrix is round t; the number of rows is the horizon.
 */
final class BltCharge implements CentralCharge {
  private final BltNoise noise;
  private final double weight;
  private final double variation;

  /**
   * The charge of a user who was charged for no other limits before. Accounts share it, so it is
   * never changed.
   */
  private final WholeCharge whole;

  /**
   * Computes the whole charge.
   *
   * @param mechanism the mechanism; its noise is a {@link BltNoise}
   */
  BltCharge(CentralMechanism mechanism, ParticipationLimits limits) {
    noise = (BltNoise) mechanism.noise();
    weight = mechanism.weight();
    variation = mechanism.variation(1);
    whole = new WholeCharge();
    whole.buffers = noise.parameters().buffers();
    whole.horizon = noise.horizon();
    whole.sums = mechanism.sums();
    whole.noiseMultiplier = mechanism.noiseMultiplier();
    whole.maxParticipations = (int) limits.maxParticipations();
    whole.minSeparation = limits.minSeparation();
    whole.zeta = zeta(limits);
  }

  private double zeta(ParticipationLimits limits) {
    return CentralMechanism.weighed(weight, noise.zeta(noise.horizon(), limits));
  }

  @Override
  public Optional<String> refusal(long round) {
    return round < noise.horizon()
        ? Optional.empty()
        : Optional.of(
            "round is "
                + round
                + ": it must be below the horizon of the model's noise, "
                + noise.horizon()
                + ", at which the model ends");
  }

  @Override
  public Participation participation(
      UserAccount account, String modelId, Totals spent, long round) {
    WholeCharge before = account.wholeCharge(modelId);
    return new BltParticipation(before, after(before), variation);
  }

  private WholeCharge after(WholeCharge before) {
    if (!before.sameMechanism(whole)) {
      return whole;
    }
    if (before.allowsAllOf(whole)) {
      return before;
    }
    WholeCharge both = new WholeCharge();
    both.buffers = whole.buffers;
    both.horizon = whole.horizon;
    both.sums = whole.sums;
    both.noiseMultiplier = whole.noiseMultiplier;
    both.maxParticipations = Math.max(before.maxParticipations, whole.maxParticipations);
    both.minSeparation = Math.min(before.minSeparation, whole.minSeparation);
    double zeta = whole.allowsAllOf(both) ? whole.zeta : zeta(both.limits());
    both.zeta = Math.max(before.zeta, zeta);
    return both;
  }

  /**
   * Returns the participation that an event records; empty if it is impossible. The recorded charge
   * is used without recomputation, unless it is impossible.
   *
   * @param before the charge before this participation
   */
  static Optional<Participation> fromEvent(CentralSpend recorded, WholeCharge before, long round) {
    BltSpend blt = recorded.getBlt();
    WholeCharge after = new WholeCharge();
    after.buffers = blt.getBuffers();
    after.horizon = blt.getHorizon();
    after.sums = recorded.getTrees();
    after.noiseMultiplier = recorded.getNoiseMultiplier();
    after.maxParticipations = blt.getMaxParticipations();
    after.minSeparation = blt.getMinSeparation();
    after.zeta = blt.getZeta();
    boolean possible =
        after.buffers >= 1
            && after.buffers <= BltParameters.MOST_BUFFERS
            && after.sums >= 1
            && after.sums <= CentralMechanism.SUMS_OF_LEAST_SQUARES
            && after.maxParticipations >= 1
            && after.minSeparation >= 0
            && round < after.horizon
            && after.zeta >= 1
            && after.zeta <= Double.MAX_VALUE
            && (!after.sameMechanism(before)
                || (after.allowsAllOf(before) && after.zeta >= before.zeta));
    return possible ? Optional.of(new BltParticipation(before, after, 0)) : Optional.empty();
  }
}
