package io.croupier.operators.model;

import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.DpFtrlParameterFree;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;

/** Specs of central models of two coordinates, practically without noise unless a test sets it. */
final class CentralSpecs {
  /**
   * Far below the grid of the gradients, and above 0, since specs require that. The noise isn't
   * seeded; tests allow errors of 1e-7 or more in weights, at least 50 deviations: they fail by
   * chance with a probability below 1e-500.
   */
  static final double HARDLY_ANY = 1e-9;

  static final PrefixSumNoise TREE =
      PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()).build();

  private CentralSpecs() {}

  static PrefixSumNoise blt(int horizon) {
    return PrefixSumNoise.newBuilder()
        .setBlt(PrefixSumNoise.Blt.newBuilder().setBuffers(2).setHorizon(horizon))
        .build();
  }

  static ModelSpec.Builder common() {
    return ModelSpec.newBuilder()
        .setModelId("m")
        .setDimension(2)
        .setGradientBound(1)
        .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(3).setMinSeparation(1));
  }

  static ModelSpec.Builder linear(PrefixSumNoise noise, double noiseMultiplier) {
    return common()
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(noiseMultiplier)
                .setNoise(noise)
                .setLearningRate(1));
  }

  static ModelSpec.Builder leastSquares(PrefixSumNoise noise, double noiseMultiplier) {
    return common()
        .setDpFtrlLeastSquares(
            DpFtrlLeastSquares.newBuilder()
                .setXNorm(2)
                .setYBound(4)
                .setNoiseMultiplier(noiseMultiplier)
                .setNoise(noise)
                .setLambda(1e-6)
                .setRadius(10));
  }

  static ModelSpec.Builder parameterFree(PrefixSumNoise noise, double noiseMultiplier) {
    return common()
        .setDpFtrlParameterFree(
            DpFtrlParameterFree.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(noiseMultiplier)
                .setNoise(noise));
  }
}
