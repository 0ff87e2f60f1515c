package io.croupier.cli.demo;

import io.croupier.accounting.GaussianDp;
import io.croupier.operators.ledger.CentralGuarantee;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Specs of DP-FTRL models with the least noise for the epsilon of noised reports at a delta. */
final class TrustedModel {

  /** Decimals of a noise multiplier; rounding up wastes a negligible part of the epsilon. */
  private static final int DIGITS = 6;

  private static final int BLT_BUFFERS = 2;

  private TrustedModel() {}

  /** A model with tree noise whose tree ends with the last round. */
  static ModelSpec tree(ModelSpec.Builder common, double learningRate, DemoParameters parameters) {
    return spec(
        common,
        DpFtrl.newBuilder()
            .setNoise(PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.newBuilder()))
            // Without this, people would be charged for a tree of 2^30 rounds.
            .setRestartEvery(parameters.rounds().count())
            .setLearningRate(learningRate),
        parameters);
  }

  /** A model with buffered linear Toeplitz noise. */
  static ModelSpec blt(ModelSpec.Builder common, double learningRate, DemoParameters parameters) {
    return spec(
        common,
        DpFtrl.newBuilder()
            .setNoise(
                PrefixSumNoise.newBuilder()
                    .setBlt(
                        PrefixSumNoise.Blt.newBuilder()
                            .setBuffers(BLT_BUFFERS)
                            .setHorizon(parameters.rounds().count())))
            .setLearningRate(learningRate),
        parameters);
  }

  private static ModelSpec spec(
      ModelSpec.Builder common, DpFtrl.Builder learner, DemoParameters parameters) {
    learner.setClipNorm(parameters.clip());
    common
        .setReportsPerRound(parameters.rounds().goal())
        .setLimits(
            Limits.newBuilder()
                .setDelta(parameters.delta())
                .setMaxParticipations(1)
                .setMinSeparation(0));
    // Zeta doesn't depend on the noise multiplier.
    ModelSpec anyNoise = common.setDpFtrl(learner.setNoiseMultiplier(1)).build();
    double zeta =
        CentralGuarantee.of(anyNoise).event(parameters.rounds().count()).getReplaceOne().getZeta();
    double least =
        GaussianDp.noiseMultiplier(parameters.epsilon(), StrictMath.log(parameters.delta()), zeta);
    double rounded = new BigDecimal(least).setScale(DIGITS, RoundingMode.CEILING).doubleValue();
    return common.setDpFtrl(learner.setNoiseMultiplier(rounded)).build();
  }
}
