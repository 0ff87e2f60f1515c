package io.croupier.operators.accounting;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.BltParameters;
import io.croupier.schemas.BltSpend;
import io.croupier.schemas.CentralSpend;
import java.util.Optional;

/**
 * What participations in a model of buffered linear Toeplitz noise cost: the first one, all that
 * limits allow up to the horizon; later ones nothing, unless limits have loosened, and then the
 * difference.
 *
 * <p>Row t of the matrix is round t, of which there are as many as the horizon.
 */
final class BltCharge implements CentralCharge {
  private final BltNoise noise;
  private final double weight;
  private final double variation;

  /**
   * What is charged whom no other limits were charged before; shared by accounts, so never changed.
   */
  private final WholeCharge whole;

  /**
   * Works out the whole charge.
   *
   * @param mechanism whose noise is a {@link BltNoise}
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
   * The participation that an event tells of; empty if there is none such. What all that limits
   * allow is charged is taken as told, if it isn't impossible.
   *
   * @param before what was charged before
   */
  static Optional<Participation> told(CentralSpend told, WholeCharge before, long round) {
    BltSpend blt = told.getBlt();
    WholeCharge after = new WholeCharge();
    after.buffers = blt.getBuffers();
    after.horizon = blt.getHorizon();
    after.sums = told.getTrees();
    after.noiseMultiplier = told.getNoiseMultiplier();
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
