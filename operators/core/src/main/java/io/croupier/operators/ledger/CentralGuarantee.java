package io.croupier.operators.ledger;

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
 * The guarantee of a central model's releases for every user within the limits of its spec, which
 * the ledger enforces. Built once per spec; an event of a tree with room for 33 to 64
 * participations takes some 5 milliseconds, others less than 2. Immutable.
 *
 * <p>All releases up to a round are one Gaussian mechanism, of mu^2 = zeta / sigma^2. For a tree,
 * zeta is that of the nodes released so far ({@link Schedule#quickZeta}); for buffered linear
 * Toeplitz noise, it is that of the whole horizon from the first round on. The noise is discrete:
 * epsilon is the less of that of mu with the distance from the continuous law ({@link
 * DiscreteGaussian}), and that of rho = mu^2 / 2, which needs no distance. zeta never falls from
 * round to round. Under zero-out, each sum that a report enters counts once; under replace-one,
 * {@link CentralMechanism#weight} counts: 4 times as much, but 2.25 times for least squares.
 *
 * <p>The ledger's charges differ, since they are per user: users with fewer participations are
 * charged less, and participants in a tree are charged for nodes that are not released yet.
 *
 * <p>The limits are those of this spec. After a change of limits, the guarantee doesn't apply to
 * users who took part under the earlier ones: only their accounts do.
 */
public final class CentralGuarantee {
  private final String modelId;
  private final CentralMechanism mechanism;
  private final double delta;
  private final ParticipationLimits limits;

  /** zeta of all rounds for noise that is charged as a whole; NaN for a tree. */
  private final double whole;

  /**
   * Creates the guarantees of a model.
   *
   * @param spec a valid central spec
   * @param mechanism its mechanism
   */
  public CentralGuarantee(ModelSpec spec, CentralMechanism mechanism) {
    modelId = spec.getModelId();
    this.mechanism = mechanism;
    Limits given = spec.getLimits();
    delta = given.getDelta();
    limits = new ParticipationLimits(given.getMaxParticipations(), given.getMinSeparation());
    whole =
        mechanism.noise() instanceof BltNoise blt ? blt.zeta(blt.horizon(), limits) : Double.NaN;
  }

  /**
   * Returns the guarantees of a model whose mechanism nothing else needs.
   *
   * @param spec a valid central spec
   * @throws IllegalArgumentException if it is not central, or can't be run
   */
  public static CentralGuarantee of(ModelSpec spec) {
    return new CentralGuarantee(spec, CentralMechanism.of(spec));
  }

  /**
   * Returns the guarantee of the first rounds together.
   *
   * @param rounds the number of released rounds, from 0 to the horizon, or to {@link
   *     Schedule#MAX_STEPS}
   * @throws IllegalArgumentException if {@code rounds} is out of range
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

  /** Returns zeta for participations of weight 1. */
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
   * @param variation the total variation between the noise and the continuous law of mu
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
