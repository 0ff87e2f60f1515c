package io.croupier.operators.model;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.NoiseLevel;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.DpFtrlParameterFree;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.PrefixSumNoise;

/**
 * How a central model noises its sums: which noise, how much of it, and what it is added to. Worked
 * out from what is fixed while a model runs, so that its ledger and its learner agree.
 *
 * @param noise the correlation over rounds
 * @param level the clipping norm, the noise multiplier and the grid
 * @param dimension coordinates of the sums: the model's, or those of {@link ExampleMoments}
 */
record Mechanism(PrefixNoise noise, NoiseLevel level, int dimension) {
  /** Grid of the moments of examples, whose norm is about 1, where the noise isn't too large. */
  private static final int MOMENTS_EXPONENT = -20;

  /** A tree that never restarts has room for a deviation below 2^25 steps. */
  private static final int DEVIATION_BITS = 24;

  /**
   * The mechanism of a valid central spec.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  static Mechanism of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL -> {
        DpFtrl ftrl = spec.getDpFtrl();
        PrefixNoise noise =
            noise(spec, ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion());
        yield ofGradients(spec, noise, ftrl.getClipNorm(), ftrl.getNoiseMultiplier());
      }
      case DP_FTRL_PARAMETER_FREE -> {
        DpFtrlParameterFree ftrl = spec.getDpFtrlParameterFree();
        PrefixNoise noise =
            noise(spec, ftrl.getNoise(), ftrl.getRestartEvery(), ftrl.getCompletion());
        yield ofGradients(spec, noise, ftrl.getClipNorm(), ftrl.getNoiseMultiplier());
      }
      case DP_FTRL_LEAST_SQUARES -> {
        DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
        double sigma = ftrl.getNoiseMultiplier();
        int exponent = Math.max(MOMENTS_EXPONENT, Math.getExponent(sigma) - DEVIATION_BITS + 1);
        yield new Mechanism(
            noise(spec, ftrl.getNoise(), Schedule.NEVER, false),
            new NoiseLevel(1, sigma, exponent),
            CentralLearners.moments(spec).size());
      }
      case BANCO, BLACK_BOX, COORDINATE_WISE, ADAPTIVE_RADIUS, LDP_SGD, LEARNER_NOT_SET ->
          throw new IllegalArgumentException(
              "learner is %s, which is not central".formatted(spec.getLearnerCase()));
    };
  }

  private static Mechanism ofGradients(
      ModelSpec spec, PrefixNoise noise, double clipNorm, double noiseMultiplier) {
    int exponent = ModelSpecs.gridExponent(spec);
    double steps = Math.scalb(clipNorm, -exponent);
    if (!(steps >= 1 && steps <= Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "grid_exponent is %d: clip_norm, %s, must be 1 to 2^31 - 1 steps of 2^grid_exponent, as it is with %d"
              .formatted(exponent, clipNorm, Math.getExponent(clipNorm) - 16));
    }
    return new Mechanism(
        noise, new NoiseLevel(clipNorm, noiseMultiplier, exponent), spec.getDimension());
  }

  private static PrefixNoise noise(
      ModelSpec spec, PrefixSumNoise noise, long restartEvery, boolean completion) {
    if (noise.hasBlt()) {
      return BltNoise.optimal(
          noise.getBlt().getBuffers(), noise.getBlt().getHorizon(), participation(spec));
    }
    return new TreeNoise(
        ModelSpecs.varianceReduced(noise.getTree())
            ? TreeNoise.Estimator.HONAKER
            : TreeNoise.Estimator.VANILLA,
        restartEvery,
        completion ? Completion.BEFORE_RESTART : Completion.NONE);
  }

  private static ParticipationLimits participation(ModelSpec spec) {
    Limits limits = spec.getLimits();
    return new ParticipationLimits(limits.getMaxParticipations(), limits.getMinSeparation());
  }

  /** Begins to sum up, as if so many rounds without data were over. */
  PrefixSum start(long after) {
    return noise.start(dimension, level, after);
  }

  /** What a step of the grid is in units of the gradients: 2^grid_exponent. */
  double gridStep() {
    return Math.scalb(1.0, level.gridExponent());
  }

  /**
   * Variance of the noise in each coordinate of a prefix sum, in units of the gradients squared.
   */
  double variance(long steps) {
    double deviation = level.clipNorm() * level.noiseMultiplier();
    return deviation * deviation * noise.variance(steps);
  }
}
