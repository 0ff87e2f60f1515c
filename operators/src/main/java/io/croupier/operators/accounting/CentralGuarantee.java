package io.croupier.operators.accounting;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.TreeNoise;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;

/**
 * What the releases of a central model guarantee to everybody who keeps to the limits of its spec,
 * which the ledger sees to. Made once per spec; an event of a tree with room for 33 to 64
 * participations takes some 5 milliseconds, others less than 2. Immutable.
 *
 * <p>All releases up to a round are one Gaussian mechanism, of mu^2 = zeta / sigma^2. zeta of a
 * tree is that of the nodes released so far ({@link Schedule#quickZeta}), that of buffered linear
 * Toeplitz noise is that of the horizon from the beginning. The noise is discrete: epsilon is that
 * of mu with its distance from the continuous law ({@link DiscreteGaussian}), or, where that is
 * less, of rho = mu^2 / 2, which has none. zeta never falls from round to round. Under zero-out
 * each sum that a report enters counts, under replace-one {@link CentralMechanism#weight}: 4 times
 * as much, but 2.25 times for least squares.
 *
 * <p>It is not what the ledger charges, which is by person: whoever took part less is charged less,
 * whoever took part in a tree is charged for nodes that are not released yet.
 *
 * <p>Limits are those of this spec. After a change they are not what holds for people who took part
 * before, under others: their own accounts are.
 */
public final class CentralGuarantee {
  private final String modelId;
  private final CentralMechanism mechanism;
  private final double delta;
  private final ParticipationLimits limits;

  /** zeta of all rounds, of noise that is charged as a whole; NaN of a tree's. */
  private final double whole;

  private CentralGuarantee(ModelSpec spec, CentralMechanism mechanism) {
    modelId = spec.getModelId();
    this.mechanism = mechanism;
    Limits given = spec.getLimits();
    delta = given.getDelta();
    limits = new ParticipationLimits(given.getMaxParticipations(), given.getMinSeparation());
    whole =
        mechanism.noise() instanceof BltNoise blt ? blt.zeta(blt.horizon(), limits) : Double.NaN;
  }

  /**
   * The guarantees of a model.
   *
   * @param spec valid, and central
   * @throws IllegalArgumentException if it is not central
   */
  public static CentralGuarantee of(ModelSpec spec) {
    CentralMechanism mechanism =
        CentralMechanism.of(spec)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "learner of "
                            + spec.getModelId()
                            + " is "
                            + spec.getLearnerCase()
                            + "; it must be a central one, dp_ftrl or one of its kind"));
    return new CentralGuarantee(spec, mechanism);
  }

  /**
   * That of the first so many rounds together.
   *
   * @param rounds that were released, from 0 to the horizon, or to {@link Schedule#MAX_STEPS}
   * @throws IllegalArgumentException if it is out of range
   */
  public GuaranteeEvent event(long rounds) {
    double zeta = zeta(rounds);
    double replaceOne = CentralMechanism.weighed(mechanism.weight(), 4 * zeta);
    return GuaranteeEvent.newBuilder()
        .setModelId(modelId)
        .setRound(rounds)
        .setMechanism(mechanism.noise() instanceof TreeNoise ? "tree" : "blt")
        .setNoiseMultiplier(mechanism.noiseMultiplier())
        .setDelta(delta)
        .setZeroOut(guarantee(mechanism.sums() * zeta, mechanism.variation(zeta)))
        .setReplaceOne(guarantee(replaceOne, mechanism.variation(zeta)))
        .build();
  }

  /** Of participations that weigh 1 each. */
  private double zeta(long rounds) {
    PrefixNoise noise = mechanism.noise();
    if (rounds < 0 || rounds > noise.maxSteps()) {
      throw new IllegalArgumentException(
          "rounds is " + rounds + "; it must be between 0 and " + noise.maxSteps());
    }
    if (rounds == 0) {
      return 0;
    }
    return noise instanceof TreeNoise tree
        ? (double) new Schedule(rounds, limits, tree.restartEvery(), tree.completion()).quickZeta()
        : whole;
  }

  /**
   * @param zeta the squared sensitivity, in clipping norms
   * @param variation the distance of the noise from what mu is about
   */
  private Guarantee guarantee(double zeta, double variation) {
    double mu = GaussianDp.rootQuotient(zeta, mechanism.noiseMultiplier());
    double logDelta = StrictMath.log(delta);
    double renyi = ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logDelta);
    return Guarantee.newBuilder()
        .setZeta(zeta)
        .setMu(mu)
        .setEpsilon(Math.min(DiscreteGaussian.epsilon(mu, variation, logDelta), renyi))
        .setEpsilonRenyi(renyi)
        .build();
  }
}
