package io.croupier.studies;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.SpecGradients;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.StrongestNoise;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Ways to hide a gradient, at one level of local privacy. */
enum StudiedMechanism {
  L2_LAPLACE("l2_laplace") {
    @Override
    Release release(int dimension, double gradientBound, double epsilon) {
      return Release.of(Noise.l2Laplace(), epsilon, gradientBound);
    }

    @Override
    StrongestNoise declared(int dimension, double gradientBound, double epsilon) {
      return StrongestNoise.newBuilder()
          .setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon))
          .build();
    }
  },

  /** With the default number of candidates. */
  PRIV_UNIT("priv_unit") {
    @Override
    Release release(int dimension, double gradientBound, double epsilon) {
      return new PrivUnitRelease(law(dimension, epsilon), gradientBound);
    }

    @Override
    StrongestNoise declared(int dimension, double gradientBound, double epsilon) {
      PrivUnitLaw law = law(dimension, epsilon);
      return StrongestNoise.newBuilder()
          .setPrivUnit(
              PrivUnit.newBuilder()
                  .setEpsilon(epsilon)
                  .setCandidates(law.candidates())
                  .setTop(law.top()))
          .build();
    }
  };

  private static final Map<LawKey, PrivUnitLaw> LAWS = new ConcurrentHashMap<>();

  /** As in records. */
  final String label;

  StudiedMechanism(String label) {
    this.label = label;
  }

  /**
   * Releases of one person's gradient.
   *
   * @param gradientBound G, of the L2 norm
   * @param epsilon of a release, under replace-one
   */
  abstract Release release(int dimension, double gradientBound, double epsilon);

  /** What such a release declares, as the strongest noise that BANCO accepts. */
  abstract StrongestNoise declared(int dimension, double gradientBound, double epsilon);

  /** Returns k of {@link ReportWeight}: such a release has the weight 2^-k. */
  int weightExponent(int dimension, double epsilon) {
    ModelSpec spec = ModelSpec.newBuilder().setDimension(dimension).setGradientBound(1).build();
    return ReportWeight.exponent(
        Declarations.of(Declarations.declared(declared(dimension, 1, epsilon)), 0),
        new SpecGradients(spec, new PrivUnitLaws()).all());
  }

  /** A law takes milliseconds to find, and many trials use the same. */
  private static PrivUnitLaw law(int dimension, double epsilon) {
    return LAWS.computeIfAbsent(
        new LawKey(dimension, epsilon),
        key -> new PrivUnitLaws().best(dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon)));
  }

  private record LawKey(int dimension, double epsilon) {}
}
