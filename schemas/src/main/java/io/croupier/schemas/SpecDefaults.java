package io.croupier.schemas;

/** Writes the defaults of {@link ModelSpecs} into a spec, so that two specs can be compared. */
final class SpecDefaults {

  private SpecDefaults() {}

  static ModelSpec resolve(ModelSpec spec) {
    ModelSpec.Builder resolved = spec.toBuilder();
    if (spec.hasAdaptiveClip()) {
      resolved.setAdaptiveClip(AdaptiveClips.resolve(spec.getAdaptiveClip()));
    } else {
      resolved.setGridExponent(ModelSpecs.gridExponent(spec));
    }
    resolved.getFeaturesBuilderList().stream()
        .filter(feature -> feature.hasOneHot() && !feature.getOneHot().hasOther())
        .forEach(feature -> feature.getOneHotBuilder().setOther(false));
    resolved.setInitialWealth(ModelSpecs.initialWealth(spec));
    if (spec.getInitialWeightsList().stream().allMatch(weight -> weight == 0)) {
      resolved.clearInitialWeights();
    }
    double degree = ModelSpecs.averagingDegree(spec);
    if (spec.getAveraging().hasPolynomial() || degree > 0) {
      resolved.getAveragingBuilder().getPolynomialBuilder().setDegree(degree);
    } else {
      resolved.getAveragingBuilder().setUniform(Averaging.Uniform.getDefaultInstance());
    }
    if (spec.hasAnonymous()) {
      resolved.setAnonymous(AnonymousWindows.resolve(spec));
    }
    switch (spec.getLearnerCase()) {
      case BLACK_BOX -> resolved.getBlackBoxBuilder().setPrior(prior(spec));
      case COORDINATE_WISE -> resolved.getCoordinateWiseBuilder().setPrior(prior(spec));
      case DP_FTRL -> {
        DpFtrl ftrl = spec.getDpFtrl();
        resolved
            .getDpFtrlBuilder()
            .setNoise(noise(ftrl.getNoise()))
            .setMomentum(ftrl.getMomentum())
            .setL1(ftrl.getL1())
            .setCompletion(ftrl.getCompletion());
      }
      case DP_FTRL_LEAST_SQUARES -> {
        DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
        resolved
            .getDpFtrlLeastSquaresBuilder()
            .setNoise(noise(ftrl.getNoise()))
            .setYBound(ModelSpecs.yBound(ftrl));
      }
      case DP_FTRL_PARAMETER_FREE -> {
        DpFtrlParameterFree ftrl = spec.getDpFtrlParameterFree();
        resolved
            .getDpFtrlParameterFreeBuilder()
            .setNoise(noise(ftrl.getNoise()))
            .setPrior(prior(spec))
            .setCompletion(ftrl.getCompletion());
      }
      default -> {
        // The other learners have no separate defaults.
      }
    }
    return resolved.build();
  }

  private static Prior prior(ModelSpec spec) {
    Prior.Builder prior = ModelSpecs.prior(spec).toBuilder();
    if (prior.hasConjugate()) {
      prior.getConjugateBuilder().setB(ModelSpecs.conjugateB(spec));
    }
    return prior.build();
  }

  private static PrefixSumNoise noise(PrefixSumNoise noise) {
    PrefixSumNoise.Builder resolved = noise.toBuilder();
    if (resolved.hasTree()) {
      resolved.getTreeBuilder().setVarianceReduced(ModelSpecs.varianceReduced(noise.getTree()));
    }
    return resolved.build();
  }
}
